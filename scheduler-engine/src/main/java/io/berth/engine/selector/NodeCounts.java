package io.berth.engine.selector;

/**
 * The number of matching pods on each node. Nodes without such pods use no memory, so that
 * thousands of selectors can be counted on thousands of nodes.
 *
 * <p>Once a reader exists, the last changes are kept in a ring, so that sums over nodes can be
 * updated incrementally.
 */
public final class NodeCounts {
  private static final int RING = 1 << 8;

  private final SparseCounts counts = new SparseCounts();
  private int[] ringSlots = new int[0];
  private int[] ringDeltas = new int[0];
  private long head;

  /** The first change that is kept; before the first reader, none is. */
  private long firstKept;

  /** Adds to the count of the node. */
  public void add(int slot, int delta) {
    counts.add(slot, delta);
    if (ringSlots.length > 0) {
      int entry = (int) head & (RING - 1);
      ringSlots[entry] = slot;
      ringDeltas[entry] = delta;
    }
    head++;
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 120L + counts.bytes() + 8L * ringSlots.length;
  }

  public int at(int slot) {
    return counts.get(slot);
  }

  /** Returns the number of changes of counts; changes are kept from the first call on. */
  public long head() {
    if (ringSlots.length == 0) {
      ringSlots = new int[RING];
      ringDeltas = new int[RING];
      firstKept = head;
    }
    return head;
  }

  /** Visits every node with a count other than 0. */
  public void forEach(SparseCounts.Visitor visitor) {
    counts.forEach(visitor);
  }

  /** Returns whether the changes since then are kept. */
  public boolean knowsSince(long since) {
    return since >= firstKept && head - since <= RING;
  }

  /** Visits the changes since then, in order; they must be {@linkplain #knowsSince kept}. */
  public void forEachSince(long since, SparseCounts.Visitor visitor) {
    for (long i = since; i < head; i++) {
      int entry = (int) i & (RING - 1);
      visitor.visit(ringSlots[entry], ringDeltas[entry]);
    }
  }
}
