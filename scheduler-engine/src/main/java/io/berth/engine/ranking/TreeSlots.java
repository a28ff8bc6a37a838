package io.berth.engine.ranking;

import io.berth.engine.state.NodeSet;

/** The numbers of the slots of all trees; each slot is in at most one tree. */
final class TreeSlots {
  private final int[] numbers;
  private final NodeClasses classes;
  private final NodeSet present;
  private long reads;

  /**
   * @param present the slots that are in any tree
   */
  TreeSlots(int[] numbers, NodeClasses classes, NodeSet present) {
    this.numbers = numbers;
    this.classes = classes;
    this.present = present;
  }

  /** Returns the greatest number of a slot of the class in a block of 64 slots. */
  int greatestOf(int ofClass, int block) {
    int greatest = MaxTree.NOTHING;
    int base = block << 6;
    boolean single = classes.isSingle();
    long bits = present.words()[block];
    reads += Long.bitCount(bits);
    if (single && bits == -1L) {
      for (int slot = base; slot < base + 64; slot++) {
        greatest = Math.max(greatest, numbers[slot]);
      }
      return greatest;
    }
    for (; bits != 0; bits &= bits - 1) {
      int slot = base + Long.numberOfTrailingZeros(bits);
      if (numbers[slot] > greatest && (single || classes.of(slot) == ofClass)) {
        greatest = numbers[slot];
      }
    }
    return greatest;
  }

  /**
   * Returns the first slot of the class with this number, from a slot to the end of its block of
   * 64; -1 if there is none.
   */
  int firstWith(int number, int ofClass, int from) {
    boolean single = classes.isSingle();
    int block = from >>> 6;
    for (long bits = present.words()[block] & -1L << from; bits != 0; bits &= bits - 1) {
      int slot = (block << 6) + Long.numberOfTrailingZeros(bits);
      reads++;
      if (numbers[slot] == number && (single || classes.of(slot) == ofClass)) {
        return slot;
      }
    }
    return -1;
  }

  /** Counts reads of maxima by a tree. */
  void countReads(int more) {
    reads += more;
  }

  /** Returns the number of reads so far; tests compare it with the number of nodes. */
  long reads() {
    return reads;
  }
}
