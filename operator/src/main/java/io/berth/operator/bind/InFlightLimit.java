package io.berth.operator.bind;

import java.time.Duration;

/**
 * How many requests may be under way at once, learned from the server's answers: additive increase
 * while the limit is used and answers come well, multiplicative decrease when the server throttles,
 * fails, or becomes slow compared with its best.
 *
 * <p>Not thread-safe: its owner guards it.
 */
final class InFlightLimit {

  private static final double DECREASE = 0.7;
  private static final double SLOW_FACTOR = 8;
  private static final long SLOW_FLOOR_NANOS = Duration.ofMillis(250).toNanos();

  private final int least;
  private final int most;
  private double limit;
  private long bestNanos = Long.MAX_VALUE;
  private int roundAnswers;
  private long roundNanos;
  private boolean decreasedThisRound;

  /**
   * @param initial the limit to begin with
   * @param least never fewer
   * @param most never more
   */
  InFlightLimit(int initial, int least, int most) {
    this.limit = initial;
    this.least = least;
    this.most = most;
  }

  int current() {
    return (int) limit;
  }

  /**
   * A request was answered well.
   *
   * @param tookNanos its round trip
   * @param wasFull whether the limit was reached meanwhile: what is not used is not raised
   */
  void succeeded(long tookNanos, boolean wasFull) {
    bestNanos = Math.min(bestNanos, tookNanos);
    roundAnswers++;
    roundNanos += tookNanos;
    if (roundAnswers < limit) {
      return;
    }
    long mean = roundNanos / roundAnswers;
    if (mean > Math.max(SLOW_FLOOR_NANOS, (long) (SLOW_FACTOR * bestNanos))) {
      decrease();
    } else if (wasFull && !decreasedThisRound) {
      limit = Math.min(most, limit + Math.max(1, limit / 16));
    }
    // The best is of the recent past: a server that has become slower for good is the new normal.
    bestNanos = Math.min(Long.MAX_VALUE / 2, bestNanos) + (mean - bestNanos) / 64;
    nextRound();
  }

  /** The server throttled, failed, or did not answer. */
  void failed() {
    if (!decreasedThisRound) {
      decrease();
      nextRound();
      decreasedThisRound = true;
    }
  }

  private void decrease() {
    limit = Math.max(least, limit * DECREASE);
  }

  private void nextRound() {
    roundAnswers = 0;
    roundNanos = 0;
    decreasedThisRound = false;
  }
}
