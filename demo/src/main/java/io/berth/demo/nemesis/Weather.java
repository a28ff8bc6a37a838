package io.berth.demo.nemesis;

import java.time.Duration;

/**
 * The faults of requests to the API server.
 *
 * @param throttled share of requests that are answered with 429 and not executed
 * @param failed share of requests that are answered with 500 and not executed
 * @param lost share of writes that are executed but answered with 504
 * @param longestDelay maximum delay of a request
 */
record Weather(double throttled, double failed, double lost, Duration longestDelay) {
  private static final double SHARE = 0.4;

  static final Weather CLEAR = new Weather(0, 0, 0, Duration.ZERO);
  static final Weather THROTTLING = new Weather(SHARE, 0, 0, Duration.ZERO);
  static final Weather FAILING = new Weather(0, SHARE, 0, Duration.ZERO);
  static final Weather LOSING = new Weather(0, 0, SHARE, Duration.ZERO);
  static final Weather SLOW = new Weather(0, 0, 0, Duration.ofMillis(800));
}
