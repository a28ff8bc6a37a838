package io.berth.rules.retry;

import java.time.Duration;

/**
 * Exponential backoff without jitter: a pause that doubles with each repetition.
 *
 * @param first the pause before the first repetition
 * @param longest the maximum pause, which also limits the first one
 */
public record DoublingPause(Duration first, Duration longest) {

  /** The number of doublings after which every pause but zero exceeds any duration in use. */
  private static final int MOST_DOUBLINGS = 62;

  /** Rejects negative durations. */
  public DoublingPause {
    if (first.isNegative() || longest.isNegative()) {
      throw new IllegalArgumentException("a pause of " + first + " up to " + longest);
    }
  }

  /**
   * Returns the pause before a repetition.
   *
   * @param repetition the number of the repetition; all before the second have the first pause
   */
  public Duration before(int repetition) {
    long factor = 1L << Math.clamp((long) repetition - 1, 0, MOST_DOUBLINGS);
    return first.compareTo(longest.dividedBy(factor)) > 0 ? longest : first.multipliedBy(factor);
  }
}
