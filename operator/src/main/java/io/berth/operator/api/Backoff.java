package io.berth.operator.api;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Pauses before requests are sent again: they grow, differ from caller to caller so that those who
 * were refused together do not come back together, and are never shorter than the server asked for.
 *
 * @param first before the first repetition
 * @param longest the maximum delay, unless the server requests a longer one
 * @param random spreads the pauses
 */
public record Backoff(Duration first, Duration longest, RandomGenerator random) {

  /** The longest delay that a server can request. */
  private static final Duration LONGEST_ASKED = Duration.ofSeconds(60);

  /**
   * A pause.
   *
   * @param repetition from 1
   * @param asked what the server asked for ({@link Answer#retryAfter}); zero where it did not
   * @return half to all of the grown pause, or what was asked for and up to half as much again
   */
  public Duration pause(int repetition, Duration asked) {
    if (asked.isPositive()) {
      Duration bounded = asked.compareTo(LONGEST_ASKED) < 0 ? asked : LONGEST_ASKED;
      return spread(bounded, 1.0, 1.5);
    }
    Duration grown = first.multipliedBy(1L << Math.min(repetition - 1, 20));
    return spread(grown.compareTo(longest) < 0 ? grown : longest, 0.5, 1.0);
  }

  private Duration spread(Duration pause, double from, double to) {
    return Duration.ofNanos((long) (pause.toNanos() * random.nextDouble(from, to)));
  }
}
