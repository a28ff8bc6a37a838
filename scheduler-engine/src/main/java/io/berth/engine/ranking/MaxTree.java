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
  private int greatest = NOTHING;

  /** The blocks whose maximum has left them and is not replaced yet: one bit each. */
  private final long[] outdated;

  private boolean isOutdated;

  /** An empty tree for the slots of one class. */
  MaxTree(int slots, Leaves leaves, int ofClass) {
    this.leaves = leaves;
    this.ofClass = ofClass;
    this.ofBlock = new int[ceiling(slots)];
    this.ofGroup = new int[ceiling(ofBlock.length)];
    this.outdated = new long[ofGroup.length];
    Arrays.fill(ofBlock, NOTHING);
    Arrays.fill(ofGroup, NOTHING);
  }

  private static int ceiling(int amount) {
    return (amount + FANOUT - 1) >>> BITS;
  }

  /** Returns the memory in bytes of a tree for so many slots. */
  static long bytes(int slots) {
    int blocks = ceiling(slots);
    return 150L + 4L * blocks + 12L * ceiling(blocks);
  }

  /** Returns whether there is no slot in the tree. */
  boolean isEmpty() {
    return greatest == NOTHING;
  }

  /** Reads the numbers of a block again; {@link #sumUp} is due when all blocks were read. */
  void reread(int block) {
    ofBlock[block] = leaves.greatestOf(ofClass, block);
  }

  /** Finds the greatest number of each group of blocks. */
  void sumUp() {
    Arrays.fill(ofGroup, NOTHING);
    for (int block = 0; block < ofBlock.length; block++) {
      int group = block >>> BITS;
      ofGroup[group] = Math.max(ofGroup[group], ofBlock[block]);
    }
    leaves.countReads(ofBlock.length);
    sumUpGroups();
  }

  private void sumUpGroups() {
    greatest = NOTHING;
    for (int ofOne : ofGroup) {
      greatest = Math.max(greatest, ofOne);
    }
    leaves.countReads(ofGroup.length);
  }

  /** The slot is in the tree now, with this number. */
  void added(int slot, int number) {
    int block = slot >>> BITS;
    if (number > ofBlock[block]) {
      ofBlock[block] = number;
      int group = block >>> BITS;
      ofGroup[group] = Math.max(ofGroup[group], number);
      greatest = Math.max(greatest, number);
    }
  }

  /** The slot, which had this number, is not in the tree any more. */
  void removed(int slot, int number) {
    int block = slot >>> BITS;
    if (number == ofBlock[block]) {
      lower(block, leaves.greatestOf(ofClass, block));
    }
  }

  /**
   * As {@link #removed}, but leaves the maxima to {@link #settle}, which is due before the next
   * search: often many slots of a block change at once.
   */
  void left(int slot, int number) {
    int block = slot >>> BITS;
    if (number == ofBlock[block]) {
      outdated[block >>> BITS] |= 1L << block;
      isOutdated = true;
    }
  }

  /** Finds the maxima that {@link #left} has left open. */
  void settle() {
    if (!isOutdated) {
      return;
    }
    isOutdated = false;
    for (int group = 0; group < outdated.length; group++) {
      long blocks = outdated[group];
      if (blocks == 0) {
        continue;
      }
      outdated[group] = 0;
      for (; blocks != 0; blocks &= blocks - 1) {
        reread((group << BITS) + Long.numberOfTrailingZeros(blocks));
      }
      ofGroup[group] = greatestOfGroup(group);
    }
    sumUpGroups();
  }

  private int greatestOfGroup(int group) {
    int end = Math.min(ofBlock.length, (group + 1) << BITS);
    int most = NOTHING;
    for (int each = group << BITS; each < end; each++) {
      most = Math.max(most, ofBlock[each]);
    }
    leaves.countReads(end - (group << BITS));
    return most;
  }

  private void lower(int block, int number) {
    int before = ofBlock[block];
    ofBlock[block] = number;
    int group = block >>> BITS;
    if (number < before && before == ofGroup[group]) {
      int most = greatestOfGroup(group);
      ofGroup[group] = most;
      if (most < before && before == greatest) {
        sumUpGroups();
      }
    }
  }

  /** The greatest number; {@link #NOTHING} for an empty tree. */
  int greatest() {
    return greatest;
  }

  /** The first slot with the greatest number from one on; -1 if there is none. */
  int firstWith(int number, int from) {
    int block = from >>> BITS;
    if (block >= ofBlock.length) {
      return -1;
    }
    if (ofBlock[block] == number) {
      int slot = leaves.firstWith(number, ofClass, from);
      if (slot >= 0) {
        return slot;
      }
    }
    block = firstBlockWith(number, block + 1);
    leaves.countReads(2 * FANOUT);
    return block < 0 ? -1 : leaves.firstWith(number, ofClass, block << BITS);
  }

  private int firstBlockWith(int number, int from) {
    for (int block = from; block < ofBlock.length; block++) {
      if ((block & FANOUT - 1) == 0) {
        int group = block >>> BITS;
        while (group < ofGroup.length && ofGroup[group] != number) {
          group++;
        }
        block = group << BITS;
        if (group == ofGroup.length) {
          return -1;
        }
      }
      if (ofBlock[block] == number) {
        return block;
      }
    }
    return -1;
  }
}
