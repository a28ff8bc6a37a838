package io.berth.engine.framework;

/**
 * The ranges in which {@linkplain NodeFilter#outsideCount outside counts} may move without changing
 * the result of a dry run on a node.
 *
 * <p>While pods are taken off the node and put back, a filter compares such a count (the pods in
 * the node's zone, say) with a limit again and again. The count at that moment is the count before
 * the dry run less what is off the node just then, so each comparison tells on which side of a
 * bound the count lies. As long as it stays within all bounds, every comparison has the same
 * result, and so has the whole dry run.
 */
public final class StableRanges {
  private final long[] before;
  private final long[] least;
  private final long[] greatest;
  private int first;

  /** Unbounded ranges of this many counts. */
  public StableRanges(int counts) {
    this.before = new long[counts];
    this.least = new long[counts];
    this.greatest = new long[counts];
  }

  /** The number of counts. */
  public int size() {
    return before.length;
  }

  /** Starts a dry run with one count as it is before anything is tried. */
  public void begin(int count, long value) {
    before[count] = value;
    least[count] = Long.MIN_VALUE;
    greatest[count] = Long.MAX_VALUE;
  }

  /** Makes {@link #isAtMost} number a filter's counts from this one on. */
  public void countFrom(int first) {
    this.first = first;
  }

  /**
   * Compares a count with a limit, and narrows the count's range to the values for which the result
   * is the same.
   *
   * @param count the filter's number for it
   * @param now the count as it is now
   */
  public boolean isAtMost(int count, long now, long limit) {
    int at = first + count;
    long bound = limit + before[at] - now;
    if (now <= limit) {
      greatest[at] = Math.min(greatest[at], bound);
      return true;
    }
    least[at] = Math.max(least[at], bound + 1);
    return false;
  }

  /** The smallest value with which the dry run has the same result. */
  public long least(int count) {
    return least[count];
  }

  /** The greatest value with which the dry run has the same result. */
  public long greatest(int count) {
    return greatest[count];
  }
}
