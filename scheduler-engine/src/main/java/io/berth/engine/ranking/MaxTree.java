package io.berth.engine.ranking;

import java.util.Arrays;

/**
 * The maximum of the numbers of some slots, maintained as slots are added and removed. Two levels
 * of maxima, over 64 slots and over 64 blocks, reduce each change and each search to a few reads.
 */
final class MaxTree {
  static final int NOTHING = Integer.MIN_VALUE;
  private static final int BITS = 6;
  private static final int FANOUT = 1 << BITS;

  private final TreeSlots leaves;
  private final int ofClass;
  private final int[] ofBlock;
  private final int[] ofGroup;
  private int greatest = NOTHING;

  /** The blocks whose maximum was removed and is not replaced yet, one bit each. */
  private final long[] outdated;

  private boolean isOutdated;

  /** Creates an empty tree for the slots of one class. */
  MaxTree(int slots, TreeSlots leaves, int ofClass) {
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

  /** Returns the memory of a tree for this many slots, in bytes. */
  static long bytes(int slots) {
    int blocks = ceiling(slots);
    return 150L + 4L * blocks + 12L * ceiling(blocks);
  }

  /** Returns whether the tree has no slots. */
  boolean isEmpty() {
    return greatest == NOTHING;
  }

  /** Reads the numbers of a block again; call {@link #sumUp} after all blocks were read. */
  void reread(int block) {
    ofBlock[block] = leaves.greatestOf(ofClass, block);
  }

  /** Computes the greatest number of each group of blocks. */
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

  /** Adds the slot with this number. */
  void added(int slot, int number) {
    int block = slot >>> BITS;
    if (number > ofBlock[block]) {
      ofBlock[block] = number;
      int group = block >>> BITS;
      ofGroup[group] = Math.max(ofGroup[group], number);
      greatest = Math.max(greatest, number);
    }
  }

  /** Removes the slot, which had this number. */
  void removed(int slot, int number) {
    int block = slot >>> BITS;
    if (number == ofBlock[block]) {
      lower(block, leaves.greatestOf(ofClass, block));
    }
  }

  /**
   * Removes a slot as {@link #removed} does, but defers the maxima to {@link #settle}, which must
   * be called before the next search: often many slots of a block change together.
   */
  void left(int slot, int number) {
    int block = slot >>> BITS;
    if (number == ofBlock[block]) {
      outdated[block >>> BITS] |= 1L << block;
      isOutdated = true;
    }
  }

  /**
   * Replaces the number of a slot; a maximum that it no longer reaches is deferred as by {@link
   * #left}.
   */
  void changed(int slot, int before, int now) {
    int block = slot >>> BITS;
    if (now >= ofBlock[block]) {
      added(slot, now);
    } else {
      left(slot, before);
    }
  }

  /** Computes the maxima that {@link #left} has deferred. */
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

  /** Returns the greatest number; {@link #NOTHING} if the tree is empty. */
  int greatest() {
    return greatest;
  }

  /** Returns the first slot, from this one on, with the greatest number; -1 if there is none. */
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
