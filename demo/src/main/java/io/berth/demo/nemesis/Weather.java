package io.berth.demo.nemesis;

import java.time.Duration;

/**
 * The faults of requests on their way to the API server.
 *
 * @param throttled share of requests that are answered 429 and not carried out
 * @param failed share of requests that are answered 500 and not carried out
 * @param lost share of writes that are carried out and answered 504
 * @param longestDelay the longest that a request waits on its way
 */
record Weather(double throttled, double failed, double lost, Duration longestDelay) {
  private static final double SHARE = 0.4;

  static final Weather CLEAR = new Weather(0, 0, 0, Duration.ZERO);
  static final Weather THROTTLING = new Weather(SHARE, 0, 0, Duration.ZERO);
  static final Weather FAILING = new Weather(0, SHARE, 0, Duration.ZERO);
  static final Weather LOSING = new Weather(0, 0, SHARE, Duration.ZERO);
  static final Weather SLOW = new Weather(0, 0, 0, Duration.ofMillis(800));
}
