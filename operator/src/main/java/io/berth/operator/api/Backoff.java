package io.berth.operator.api;

import io.berth.rules.retry.DoublingPause;
import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Exponential backoff with jitter: delays double with each retry, are randomized so that clients
 * that were rejected together do not retry together, and are never shorter than the server
 * requests.
 *
 * @param first the delay before the first retry, before jitter
 * @param longest the maximum delay, unless the server requests a longer one
 */
public record Backoff(Duration first, Duration longest) {

  /** The longest delay that a server can request; longer ones are cut to this. */
  private static final Duration LONGEST_ASKED = Duration.ofSeconds(60);

  /**
   * Returns the delay before a retry.
   *
   * @param repetition the number of the retry, from 1
   * @param asked the delay that the server requests ({@link Answer#retryAfter}); zero if it
   *     requests none
   * @param random the source of the jitter
   * @return 0.5 to 1 times the exponential delay, or 1 to 1.5 times the requested delay
   */
  public Duration pause(int repetition, Duration asked, RandomGenerator random) {
    if (asked.isPositive()) {
      Duration bounded = asked.compareTo(LONGEST_ASKED) < 0 ? asked : LONGEST_ASKED;
      return spread(bounded, 1.0, 1.5, random);
    }
    return spread(new DoublingPause(first, longest).before(repetition), 0.5, 1.0, random);
  }

  private static Duration spread(Duration pause, double from, double to, RandomGenerator random) {
    return Duration.ofNanos((long) (pause.toNanos() * random.nextDouble(from, to)));
  }
}
