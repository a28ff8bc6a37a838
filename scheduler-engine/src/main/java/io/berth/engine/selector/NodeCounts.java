package io.berth.engine.selector;

/**
 * The number of matching pods on each node. Nodes without such pods use no memory, so that
 * thousands of selectors can be counted on thousands of nodes.
 *
 * <p>Once a reader exists, the last changes are kept in a ring, so that sums over nodes can be
 * updated incrementally.
 */
public final class NodeCounts {
  /** Receives counts, or changes of counts, by node slot. */
  @FunctionalInterface
  public interface Visitor {
    void visit(int slot, int count);
  }

  private static final int RING = 1 << 8;

  /** The slot plus one, 0 for a free entry; open addressing. */
  private int[] keys = new int[8];

  private int[] counts = new int[8];
  private int used;
  private int[] ringSlots = new int[0];
  private int[] ringDeltas = new int[0];
  private long head;

  /** The first change that is kept; before the first reader, none is. */
  private long firstKept;

  /** Adds to the count of the node. */
  public void add(int slot, int delta) {
    int at = find(slot);
    if (keys[at] == 0) {
      if ((used + 1) * 2 > keys.length) {
        rehash();
        at = find(slot);
      }
      keys[at] = slot + 1;
      used++;
    }
    counts[at] += delta;
    if (ringSlots.length > 0) {
      int entry = (int) head & (RING - 1);
      ringSlots[entry] = slot;
      ringDeltas[entry] = delta;
    }
    head++;
  }

  /** Returns its memory in bytes. */
  public long bytes() {
    return 120L + 8L * keys.length + 8L * ringSlots.length;
  }

  public int at(int slot) {
    int at = find(slot);
    return keys[at] == 0 ? 0 : counts[at];
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
  public void forEach(Visitor visitor) {
    for (int at = 0; at < keys.length; at++) {
      if (keys[at] != 0 && counts[at] != 0) {
        visitor.visit(keys[at] - 1, counts[at]);
      }
    }
  }

  /** Returns whether the changes since then are kept. */
  public boolean knowsSince(long since) {
    return since >= firstKept && head - since <= RING;
  }

  /** Visits the changes since then, in order; they must be {@linkplain #knowsSince kept}. */
  public void forEachSince(long since, Visitor visitor) {
    for (long i = since; i < head; i++) {
      int entry = (int) i & (RING - 1);
      visitor.visit(ringSlots[entry], ringDeltas[entry]);
    }
  }

  private int find(int slot) {
    int mask = keys.length - 1;
    int at = (slot * 0x9E3779B9) >>> 7 & mask;
    while (keys[at] != 0 && keys[at] != slot + 1) {
      at = at + 1 & mask;
    }
    return at;
  }

  private void rehash() {
    int live = 0;
    for (int at = 0; at < keys.length; at++) {
      if (keys[at] != 0 && counts[at] != 0) {
        live++;
      }
    }
    int[] oldKeys = keys;
    int[] oldCounts = counts;
    int size = 8;
    while (size < (live + 1) * 4) {
      size *= 2;
    }
    keys = new int[size];
    counts = new int[size];
    used = live;
    for (int at = 0; at < oldKeys.length; at++) {
      if (oldKeys[at] != 0 && oldCounts[at] != 0) {
        int to = find(oldKeys[at] - 1);
        keys[to] = oldKeys[at];
        counts[to] = oldCounts[at];
      }
    }
  }
}
