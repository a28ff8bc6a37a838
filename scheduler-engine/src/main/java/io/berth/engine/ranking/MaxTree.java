package io.berth.engine.ranking;

import java.util.Arrays;

/**
 * The greatest of the numbers of some slots, kept as slots come and go. Two levels of maxima, of 64
 * slots and of 64 times 64, make each change and each search a matter of a few reads.
 */
final class MaxTree {
  static final int NOTHING = Integer.MIN_VALUE;
  private static final int BITS = 6;
  private static final int FANOUT = 1 << BITS;

  private final Leaves leaves;
  private final int ofClass;
  private final int[] ofBlock;
  private final int[] ofGroup;
  private int size;

  /** An empty tree for the slots of one class. */
  MaxTree(int slots, Leaves leaves, int ofClass) {
    this.leaves = leaves;
    this.ofClass = ofClass;
    this.ofBlock = new int[ceiling(slots)];
    this.ofGroup = new int[ceiling(ofBlock.length)];
    Arrays.fill(ofBlock, NOTHING);
    Arrays.fill(ofGroup, NOTHING);
  }

  private static int ceiling(int amount) {
    return (amount + FANOUT - 1) >>> BITS;
  }

  /** Returns the memory in bytes of a tree for so many slots. */
  static long bytes(int slots) {
    int blocks = ceiling(slots);
    return 120L + 4L * (blocks + ceiling(blocks));
  }

  /** The number of slots in the tree. */
  int size() {
    return size;
  }

  /** The slot is in the tree now, with this number. */
  void added(int slot, int number) {
    size++;
    int block = slot >>> BITS;
    if (number > ofBlock[block]) {
      ofBlock[block] = number;
      int group = block >>> BITS;
      ofGroup[group] = Math.max(ofGroup[group], number);
    }
  }

  /** The slot, which had this number, is not in the tree any more. */
  void removed(int slot, int number) {
    size--;
    int block = slot >>> BITS;
    if (number == ofBlock[block]) {
      lower(block, leaves.greatestOf(ofClass, block));
    }
  }

  private void lower(int block, int greatest) {
    int before = ofBlock[block];
    ofBlock[block] = greatest;
    int group = block >>> BITS;
    if (greatest < before && before == ofGroup[group]) {
      int end = Math.min(ofBlock.length, (group + 1) << BITS);
      int most = NOTHING;
      for (int each = group << BITS; each < end; each++) {
        most = Math.max(most, ofBlock[each]);
      }
      leaves.countReads(end - (group << BITS));
      ofGroup[group] = most;
    }
  }

  /** The greatest number; {@link #NOTHING} for an empty tree. */
  int greatest() {
    int greatest = NOTHING;
    for (int ofOne : ofGroup) {
      greatest = Math.max(greatest, ofOne);
    }
    leaves.countReads(ofGroup.length);
    return greatest;
  }

  /** The first slot with the greatest number from one on; -1 if there is none. */
  int firstWith(int greatest, int from) {
    int block = from >>> BITS;
    if (block >= ofBlock.length) {
      return -1;
    }
    if (ofBlock[block] == greatest) {
      int slot = leaves.firstWith(greatest, ofClass, from);
      if (slot >= 0) {
        return slot;
      }
    }
    block = firstBlockWith(greatest, block + 1);
    leaves.countReads(2 * FANOUT);
    return block < 0 ? -1 : leaves.firstWith(greatest, ofClass, block << BITS);
  }

  private int firstBlockWith(int greatest, int from) {
    for (int block = from; block < ofBlock.length; block++) {
      if ((block & FANOUT - 1) == 0) {
        int group = block >>> BITS;
        while (group < ofGroup.length && ofGroup[group] != greatest) {
          group++;
        }
        block = group << BITS;
        if (group == ofGroup.length) {
          return -1;
        }
      }
      if (ofBlock[block] == greatest) {
        return block;
      }
    }
    return -1;
  }
}
