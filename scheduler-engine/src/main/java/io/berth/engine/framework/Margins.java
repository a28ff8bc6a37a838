package io.berth.engine.framework;

/**
 * How far numbers from beyond a node may move before what was tried out on the node would have come
 * out otherwise.
 *
 * <p>While pods are taken off one node and put back, a filter compares such a number (how many pods
 * are in the node's zone, say) with a limit again and again. The number as it is at the time is the
 * number from outside less what is off the node just then, so each comparison says on which side of
 * a bound the number from outside lies. As long as it stays within all bounds, every comparison
 * comes out as it did, and so does the whole.
 */
public final class Margins {
  private final long[] outside;
  private final long[] least;
  private final long[] greatest;
  private int first;

  /** Margins of this many numbers. */
  public Margins(int figures) {
    this.outside = new long[figures];
    this.least = new long[figures];
    this.greatest = new long[figures];
  }

  /** How many numbers there are. */
  public int size() {
    return outside.length;
  }

  /** Begins anew with a number as it is before anything is tried. */
  public void begin(int figure, long value) {
    outside[figure] = value;
    least[figure] = Long.MIN_VALUE;
    greatest[figure] = Long.MAX_VALUE;
  }

  /** From now on a filter's figures are numbered from this one on. */
  public void countFrom(int first) {
    this.first = first;
  }

  /**
   * Compares a number with a limit, and keeps in mind what that says.
   *
   * @param figure the filter's number for it
   * @param now the number as it is now
   */
  public boolean isAtMost(int figure, long now, long limit) {
    int at = first + figure;
    long bound = limit + outside[at] - now;
    if (now <= limit) {
      greatest[at] = Math.min(greatest[at], bound);
      return true;
    }
    least[at] = Math.max(least[at], bound + 1);
    return false;
  }

  /** The smallest value with which all would come out the same. */
  public long least(int figure) {
    return least[figure];
  }

  /** The greatest value with which all would come out the same. */
  public long greatest(int figure) {
    return greatest[figure];
  }
}
