package io.berth.engine.framework;

/**
 * The ranges in which {@linkplain DryRunHints#outsideCount outside counts} may move without
 * changing the result of a dry run on a node.
 *
 * <p>While a dry run removes pods from the node and puts them back, a filter compares such a count
 * (for example, the pods in the node's zone) with a limit many times. The current count is the
 * count before the dry run minus the pods that are removed at that moment, so each comparison gives
 * a lower or an upper bound. While the count stays within all bounds, every comparison, and so the
 * whole dry run, has the same result.
 */
public final class StableRanges {
  /** Compares counts without remembering any range: for verdicts outside of dry runs. */
  public static final StableRanges NOT_KEPT = new StableRanges(0);

  private final long[] before;
  private final long[] least;
  private final long[] greatest;
  private int first;

  /** Creates unbounded ranges for this many counts. */
  public StableRanges(int counts) {
    this.before = new long[counts];
    this.least = new long[counts];
    this.greatest = new long[counts];
  }

  /** Returns the number of counts. */
  public int size() {
    return before.length;
  }

  /** Starts a dry run with the initial value of one count. */
  public void begin(int count, long value) {
    before[count] = value;
    least[count] = Long.MIN_VALUE;
    greatest[count] = Long.MAX_VALUE;
  }

  /** Sets the index of the count that {@link #isAtMost} addresses as 0. */
  public void countFrom(int first) {
    this.first = first;
  }

  /**
   * Compares a count with a limit, and narrows the count's range to the values for which the result
   * is the same.
   *
   * @param count the filter's index of the count
   * @param now the current count
   */
  public boolean isAtMost(int count, long now, long limit) {
    if (this == NOT_KEPT) {
      return now <= limit;
    }
    int at = first + count;
    long bound = limit + before[at] - now;
    if (now <= limit) {
      greatest[at] = Math.min(greatest[at], bound);
      return true;
    }
    least[at] = Math.max(least[at], bound + 1);
    return false;
  }

  /** Returns the smallest initial value for which the dry run has the same result. */
  public long least(int count) {
    return least[count];
  }

  /** Returns the greatest initial value for which the dry run has the same result. */
  public long greatest(int count) {
    return greatest[count];
  }
}
