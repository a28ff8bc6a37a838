package io.berth.engine.ranking;

import io.berth.engine.state.NodeSet;

/**
 * A search for the nodes with the greatest totals that needs no order of the nodes. The total of a
 * node is at most the greatest sum of its block of 64 nodes plus the greatest value of a class, so
 * most blocks are passed over.
 */
final class BoundedSearch {
  private final ScoreSums sums;
  private final NodeClasses classes;

  /** The best nodes so far, by total in descending order, then by slot. */
  private final int[] slots;

  private final int[] totals;
  private int size;
  private int greatest = Integer.MIN_VALUE;

  /** The first node with the greatest total, and the first one from the turn on; -1 for none. */
  private int first = -1;

  private int firstFromTurn = -1;
  private long reads;

  /**
   * Creates a search.
   *
   * @param count the number of nodes to find
   */
  BoundedSearch(ScoreSums sums, NodeClasses classes, int count) {
    this.sums = sums;
    this.classes = classes;
    this.slots = new int[count];
    this.totals = new int[count];
  }

  /**
   * Returns the best nodes in descending order. Nodes with equal totals take turns to be the first:
   * it is the first one from a slot on, or else from the beginning. The others are in order of
   * slots.
   *
   * @param feasible as many nodes as are to be found, or more
   * @param greatestValue the greatest value of a class with a feasible node
   */
  int[] run(NodeSet feasible, int greatestValue, int turn) {
    long[] words = feasible.words();
    for (int block = 0; block < words.length; block++) {
      if (words[block] != 0
          && isWanted(block, sums.looseBound(block) + greatestValue, turn)
          && isWanted(block, sums.bound(block) + greatestValue, turn)) {
        read(block, words[block], turn);
      }
    }
    int chosen = firstFromTurn >= 0 ? firstFromTurn : first;
    int place = 0;
    while (place < size - 1 && slots[place] != chosen) {
      place++;
    }
    System.arraycopy(slots, 0, slots, 1, place);
    slots[0] = chosen;
    return slots;
  }

  /** Returns whether a node of the block can be one of the best. */
  private boolean isWanted(int block, int bound, int turn) {
    return size < slots.length
        || bound > totals[size - 1]
        || (bound == greatest && firstFromTurn < 0 && block >= turn >>> 6);
  }

  private void read(int block, long nodes, int turn) {
    int[] bySlot = sums.bySlot();
    reads += Long.bitCount(nodes);
    for (long bits = nodes; bits != 0; bits &= bits - 1) {
      int slot = (block << 6) + Long.numberOfTrailingZeros(bits);
      int total = bySlot[slot] + classes.value(classes.of(slot));
      if (total > greatest || first < 0) {
        greatest = total;
        first = slot;
        firstFromTurn = slot >= turn ? slot : -1;
      } else if (total == greatest && firstFromTurn < 0 && slot >= turn) {
        firstFromTurn = slot;
      }
      if (size < slots.length || total > totals[size - 1]) {
        insert(slot, total);
      }
    }
  }

  private void insert(int slot, int total) {
    int at = size < slots.length ? size++ : size - 1;
    for (; at > 0 && totals[at - 1] < total; at--) {
      totals[at] = totals[at - 1];
      slots[at] = slots[at - 1];
    }
    totals[at] = total;
    slots[at] = slot;
  }

  /** Returns the number of totals that were computed. */
  long reads() {
    return reads;
  }
}
