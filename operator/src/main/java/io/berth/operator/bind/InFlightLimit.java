package io.berth.operator.bind;

/**
 * An adaptive limit on requests in flight, which follows the server's response times as TCP Vegas
 * adapts its window: if {@code n} requests take {@code mean} each, and one alone takes {@code
 * best}, about {@code n (1 - best / mean)} of them are queued at the server. The limit rises while
 * few are queued and falls while many are: more requests than the server can process cost it
 * connections and memory, and bind no pod sooner. If the server throttles or fails, the limit falls
 * at once.
 *
 * <p>Not thread-safe: its owner guards it.
 */
final class InFlightLimit {

  private static final double DECREASE = 0.7;
  private static final double STEP = 1 / 16.0;

  /** Below this number of queued requests, the server has spare capacity. */
  private static final int FEW_WAIT = 16;

  /** Above this number of queued requests, the server is saturated. */
  private static final int MANY_WAIT = 32;

  private final int least;
  private final int most;
  private double limit;
  private double bestNanos = Double.MAX_VALUE;
  private double roundSize;
  private int roundAnswers;
  private int roundGood;
  private long roundNanos;
  private boolean decreasedThisRound;

  /**
   * @param initial the initial limit
   * @param least the minimum of the limit
   * @param most the maximum of the limit
   */
  InFlightLimit(int initial, int least, int most) {
    this.limit = initial;
    this.roundSize = initial;
    this.least = least;
    this.most = most;
  }

  int current() {
    return (int) limit;
  }

  /**
   * Records a successful response.
   *
   * @param tookNanos its round-trip time
   * @param wasFull whether the limit was reached meanwhile: a limit that is not used does not rise
   */
  void succeeded(long tookNanos, boolean wasFull) {
    bestNanos = Math.min(bestNanos, (double) Math.max(1, tookNanos));
    roundAnswers++;
    roundGood++;
    roundNanos += tookNanos;
    if (roundAnswers < roundSize) {
      return;
    }
    double mean = Math.max(bestNanos, (double) roundNanos / roundGood);
    double waiting = limit * (1 - bestNanos / mean);
    if (waiting > MANY_WAIT) {
      limit = Math.max(least, limit - Math.max(1, limit * STEP));
    } else if (waiting < FEW_WAIT && wasFull && !decreasedThisRound) {
      limit = Math.min(most, limit + Math.max(1, limit * STEP));
    }
    // The best time drifts toward the mean, so that a permanently slower server becomes the new
    // baseline.
    bestNanos += (mean - bestNanos) / 256;
    nextRound(limit);
  }

  /**
   * Records that the server throttled, failed, or did not respond: the limit falls at most once per
   * round.
   */
  void failed() {
    if (!decreasedThisRound) {
      double wereInFlight = limit;
      limit = Math.max(least, limit * DECREASE);
      nextRound(wereInFlight);
      decreasedThisRound = true;
      return;
    }
    roundAnswers++;
    if (roundAnswers >= roundSize) {
      nextRound(limit);
    }
  }

  /**
   * @param size the number of responses in the round: as many as requests are in flight when it
   *     begins
   */
  private void nextRound(double size) {
    roundSize = size;
    roundAnswers = 0;
    roundGood = 0;
    roundNanos = 0;
    decreasedThisRound = false;
  }
}
