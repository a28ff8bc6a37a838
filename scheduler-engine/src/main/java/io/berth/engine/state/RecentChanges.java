package io.berth.engine.state;

import java.util.function.IntConsumer;

/**
 * The most recent changes of an answer's values, by number (a node slot or a domain). A reader that
 * builds on the answer keeps {@link #version()} and visits the changes since then. A reader that is
 * too far behind reads the whole answer again, and so does a new one. Before the first reader, no
 * changes are kept: the first pass over all nodes changes most values of an answer, and to keep
 * that would take several bytes for each node.
 *
 * <p>A {@link ChangeLog} records changes of inputs, with the last change of each slot; this class
 * records changes of outputs, and is small enough for every answer to have one.
 */
public final class RecentChanges {
  /**
   * The number of nodes per remembered change. To read all nodes is faster than to visit a greater
   * share of changed ones.
   */
  private static final int NODES_PER_CHANGE = 8;

  private static final int MOST_KEPT = 1 << 13;
  private static final int LEAST_KEPT = 16;

  private int kept;

  /**
   * The changes, as many as are kept or a smaller power of two as long as there were no more: most
   * answers have few changes.
   */
  private int[] ring = {};

  private long version;

  /** The version after the last change of any value. */
  private long first;

  /** A mark that a reader may have kept the version. */
  private boolean followed;

  /**
   * @param kept the number of changes to keep; a power of two
   */
  public RecentChanges(int kept) {
    if (Integer.bitCount(kept) != 1) {
      throw new IllegalArgumentException("not a power of two: " + kept);
    }
    this.kept = kept;
  }

  /** Adjusts the number of kept changes to the number of nodes. */
  public void keepFor(int nodes) {
    int wanted = Math.min(MOST_KEPT, Integer.highestOneBit(nodes / NODES_PER_CHANGE));
    if (wanted > kept) {
      kept = wanted;
      addAll();
    }
  }

  /** Records a change of the value with this number. */
  public void add(int number) {
    if (!followed) {
      return;
    }
    if (version - first >= ring.length && ring.length < kept) {
      grow();
    }
    ring[(int) version & (ring.length - 1)] = number;
    version++;
  }

  private void grow() {
    int[] before = ring;
    ring = new int[Math.min(kept, Math.max(LEAST_KEPT, 2 * before.length))];
    for (long change = version - before.length; change < version; change++) {
      ring[(int) change & (ring.length - 1)] = before[(int) change & (before.length - 1)];
    }
  }

  /** Records a change of any value. */
  public void addAll() {
    version += kept + 1L;
    first = version;
  }

  /** Returns a version that grows with every change; they are kept from the first call on. */
  public long version() {
    if (!followed) {
      followed = true;
      addAll();
    }
    return version;
  }

  /** Returns whether all changes since this version are kept. */
  public boolean knowsSince(long since) {
    return followed && version - since <= kept;
  }

  /**
   * Visits the changes since this version, some of them possibly more than once. The changes must
   * be {@linkplain #knowsSince kept}.
   */
  public void forEachSince(long since, IntConsumer visitor) {
    for (long change = since; change < version; change++) {
      visitor.accept(ring[(int) change & (ring.length - 1)]);
    }
  }

  /** Returns the number of the value that one of the kept changes concerned. */
  public int at(long change) {
    return ring[(int) change & (ring.length - 1)];
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 40L + 4L * ring.length;
  }
}
