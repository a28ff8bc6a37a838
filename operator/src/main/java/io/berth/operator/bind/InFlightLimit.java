package io.berth.operator.bind;

/**
 * The limit of requests in flight, learned from the server's responses as TCP Vegas learns its
 * window: of {@code n} requests that take {@code mean} where one alone takes {@code best}, about
 * {@code n (1 - best / mean)} wait at the server and are not worked on. While few wait the limit
 * rises, while many wait it falls: more in flight than the server can work on costs it connections
 * and memory, and binds no pod sooner. When the server throttles or fails, the limit falls at once.
 *
 * <p>Not thread-safe: its owner guards it.
 */
final class InFlightLimit {

  private static final double DECREASE = 0.7;
  private static final double STEP = 1 / 16.0;

  /** Fewer than this many waiting at the server: it could work on more. */
  private static final int FEW_WAIT = 16;

  /** More than this many waiting: it has more than it can work on. */
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
   * @param initial the limit to begin with
   * @param least never fewer
   * @param most never more
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
   * A request was answered well.
   *
   * @param tookNanos its round trip
   * @param wasFull whether the limit was reached meanwhile: what is not used is not raised
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
    // The best is of the recent past: a server that has become slower for good is the new normal.
    bestNanos += (mean - bestNanos) / 256;
    nextRound(limit);
  }

  /** The server throttled, failed, or did not answer: the limit falls once in each round. */
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
   * @param size how many answers it takes: as many as requests are in flight when it begins
   */
  private void nextRound(double size) {
    roundSize = size;
    roundAnswers = 0;
    roundGood = 0;
    roundNanos = 0;
    decreasedThisRound = false;
  }
}
