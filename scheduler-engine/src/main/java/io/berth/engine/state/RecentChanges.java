package io.berth.engine.state;

import java.util.function.IntConsumer;

/**
 * The numbers (node slots, domains) whose value changed last, as an answer publishes them. A reader
 * that builds on the answer remembers {@link #version()} and visits what changed since; one that
 * fell too far behind reads the whole answer again.
 *
 * <p>A {@link ChangeLog} is about the inputs of answers and knows when each slot changed; this is
 * about their output, and is small enough for every answer to have one.
 */
public final class RecentChanges {
  /** A reader that has to visit a greater part of the nodes reads them all faster. */
  private static final int NODES_PER_CHANGE = 8;

  private static final int MOST_KEPT = 1 << 13;

  private int[] ring;
  private long version;

  /**
   * @param kept how many changes are remembered; a power of two
   */
  public RecentChanges(int kept) {
    if (Integer.bitCount(kept) != 1) {
      throw new IllegalArgumentException("not a power of two: " + kept);
    }
    this.ring = new int[kept];
  }

  /** Keeps as many changes as are worth following where there are so many nodes. */
  public void keepFor(int nodes) {
    int kept = Math.min(MOST_KEPT, Integer.highestOneBit(nodes / NODES_PER_CHANGE));
    if (kept > ring.length) {
      ring = new int[kept];
      addAll();
    }
  }

  /** The value of this number has changed. */
  public void add(int number) {
    ring[(int) version & (ring.length - 1)] = number;
    version++;
  }

  /** Any value may have changed. */
  public void addAll() {
    version += ring.length + 1;
  }

  /** Grows with every change. */
  public long version() {
    return version;
  }

  /** Returns whether everything that changed after this version is still known. */
  public boolean knowsSince(long since) {
    return version - since <= ring.length;
  }

  /** Visits what changed after this version, some of it maybe more than once; it must be known. */
  public void forEachSince(long since, IntConsumer visitor) {
    for (long change = since; change < version; change++) {
      visitor.accept(ring[(int) change & (ring.length - 1)]);
    }
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 40L + 4L * ring.length;
  }
}
