package io.berth.engine.ranking;

import io.berth.engine.state.NodeSet;
import java.util.Arrays;

/**
 * The nodes to select from. While they are ordered, each class has a {@link MaxTree} of the sums of
 * its nodes.
 */
final class RankedNodes {
  private final NodeClasses classes;
  private final int mostTrees;
  private final Runnable onGrowth;
  private final NodeSet nodes = new NodeSet();

  /** The number of nodes by class. */
  private int[] counts = new int[4];

  /** The sums by slot. The trees reflect them when {@link #change} was called for all changes. */
  private int[] sums = {};

  private TreeSlots leaves;
  private MaxTree[] trees = {};
  private int treeCount;
  private boolean inOrder;
  private long reads;

  /**
   * Creates a ranking without nodes.
   *
   * @param mostTrees the number of classes above which nodes are not ordered
   * @param onGrowth called after a tree was created
   */
  RankedNodes(NodeClasses classes, int mostTrees, Runnable onGrowth) {
    this.classes = classes;
    this.mostTrees = mostTrees;
    this.onGrowth = onGrowth;
    this.leaves = new TreeSlots(sums, classes, nodes);
  }

  /** Ensures capacity for this many slots. */
  void keepFor(int slots) {
    if (nodes.words().length << 6 < slots) {
      nodes.grow(slots);
    }
  }

  boolean areInOrder() {
    return inOrder;
  }

  boolean contains(int slot) {
    return nodes.contains(slot);
  }

  /** Replaces the nodes, without ordering them. */
  void take(NodeSet wanted) {
    dropOrder();
    long[] now = wanted.words();
    long[] words = nodes.words();
    for (int word = nodes.nextDifference(wanted, 0);
        word >= 0;
        word = nodes.nextDifference(wanted, word + 1)) {
      long want = word < now.length ? now[word] : 0;
      count(word, want & ~words[word], 1);
      count(word, words[word] & ~want, -1);
      words[word] = want;
    }
  }

  /** Counts the nodes of each class, after all nodes were assigned to classes again. */
  void recount() {
    Arrays.fill(counts, 0);
    if (classes.isSingle()) {
      counts[0] = nodes.size();
      return;
    }
    long[] words = nodes.words();
    for (int word = 0; word < words.length; word++) {
      count(word, words[word], 1);
    }
  }

  private void count(int word, long slots, int delta) {
    for (long bits = slots; bits != 0; bits &= bits - 1) {
      count(classes.of((word << 6) + Long.numberOfTrailingZeros(bits)), delta);
    }
  }

  private void count(int ofClass, int delta) {
    if (ofClass >= counts.length) {
      counts = Arrays.copyOf(counts, 2 * ofClass);
    }
    counts[ofClass] += delta;
  }

  /** Moves a node to another class without ordering it. */
  void moved(int before, int now) {
    count(before, -1);
    count(now, 1);
  }

  /** Orders the nodes. */
  void order(int[] bySlot) {
    sums = bySlot;
    inOrder = true;
    leaves = new TreeSlots(sums, classes, nodes);
    long[] words = nodes.words();
    for (int word = 0; word < words.length; word++) {
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        int ofClass = classes.of(slot);
        MaxTree tree = ofClass < trees.length ? trees[ofClass] : null;
        (tree == null ? treeOf(ofClass) : tree).added(slot, sums[slot]);
      }
    }
  }

  /** Drops the order, but keeps the nodes. */
  void dropOrder() {
    if (inOrder) {
      inOrder = false;
      reads += leaves.reads();
      leaves = new TreeSlots(sums, classes, nodes);
      trees = new MaxTree[0];
      treeCount = 0;
    }
  }

  /** Removes a node from the order. */
  void takeOut(int slot) {
    nodes.remove(slot);
    count(classes.of(slot), -1);
    trees[classes.of(slot)].removed(slot, sums[slot]);
  }

  /**
   * Removes a node from the order, which must be {@linkplain #settle settled} before it is read.
   */
  void remove(int slot) {
    nodes.remove(slot);
    count(classes.of(slot), -1);
    trees[classes.of(slot)].left(slot, sums[slot]);
  }

  /**
   * Applies a change of a node's sum to the order, which must be {@linkplain #settle settled}
   * before it is read.
   *
   * @param before the sum before the change
   */
  void change(int slot, int before) {
    if (nodes.contains(slot)) {
      trees[classes.of(slot)].changed(slot, before, sums[slot]);
    }
  }

  /** Completes a series of changes. */
  void settle() {
    for (MaxTree tree : trees) {
      if (tree != null) {
        tree.settle();
      }
    }
  }

  /** Adds a node to the order. */
  void putIn(int slot) {
    nodes.add(slot);
    count(classes.of(slot), 1);
    treeOf(classes.of(slot)).added(slot, sums[slot]);
  }

  private MaxTree treeOf(int ofClass) {
    if (ofClass >= trees.length) {
      trees = Arrays.copyOf(trees, Math.min(mostTrees, 4 + 2 * ofClass));
    }
    MaxTree tree = trees[ofClass];
    if (tree == null) {
      tree = new MaxTree(sums.length, leaves, ofClass);
      trees[ofClass] = tree;
      treeCount++;
      onGrowth.run();
    }
    return tree;
  }

  /**
   * Returns the number of nodes in which the current set and the wanted set differ. Nodes of closed
   * domains do not count: they keep their places, since no class of them is read.
   */
  int changes(NodeSet wanted) {
    int changes = 0;
    for (int word = nextChange(wanted, 0); word >= 0; word = nextChange(wanted, word + 1)) {
      changes += Long.bitCount(change(wanted, word));
    }
    return changes;
  }

  /** Returns the first word with a change, from the given one on; -1 if there is none. */
  private int nextChange(NodeSet wanted, int from) {
    if (!classes.areAnyClosed()) {
      return nodes.nextDifference(wanted, from);
    }
    for (int word = from; word < nodes.words().length; word++) {
      if (change(wanted, word) != 0) {
        return word;
      }
    }
    return -1;
  }

  private long change(NodeSet wanted, int word) {
    long[] now = wanted.words();
    return (nodes.words()[word] ^ (word < now.length ? now[word] : 0)) & ~classes.closedIn(word);
  }

  /** Adds and removes nodes one by one until the set is the wanted one. */
  void move(NodeSet wanted) {
    for (int word = nextChange(wanted, 0); word >= 0; word = nextChange(wanted, word + 1)) {
      for (long change = change(wanted, word); change != 0; change &= change - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(change);
        if (nodes.contains(slot)) {
          remove(slot);
        } else {
          putIn(slot);
        }
      }
    }
    settle();
  }

  /** Does the same as {@link #move}, but reads each block with moving nodes again. */
  void moveBlocks(NodeSet wanted) {
    long[] words = nodes.words();
    for (int word = nextChange(wanted, 0); word >= 0; word = nextChange(wanted, word + 1)) {
      long change = change(wanted, word);
      for (long bits = change & ~words[word]; bits != 0; bits &= bits - 1) {
        treeOf(classes.of((word << 6) + Long.numberOfTrailingZeros(bits)));
      }
      count(word, change & ~words[word], 1);
      count(word, change & words[word], -1);
      words[word] ^= change;
      for (MaxTree tree : trees) {
        if (tree != null) {
          tree.reread(word);
        }
      }
    }
    for (MaxTree tree : trees) {
      if (tree != null) {
        tree.sumUp();
      }
    }
  }

  /** Marks the classes that have nodes, unless their domain is closed. */
  void mark(boolean[] present) {
    int size = Math.min(counts.length, classes.size());
    for (int each = 0; each < size; each++) {
      present[each] = counts[each] > 0 && !classes.isClosed(each);
    }
  }

  /** Returns whether the class has nodes, and its domain is not closed. */
  private boolean isOpen(int ofClass) {
    MaxTree tree = trees[ofClass];
    return tree != null && !tree.isEmpty() && !classes.isClosed(ofClass);
  }

  /** Returns the greatest total; {@link MaxTree#NOTHING} if there are no nodes. */
  int greatest() {
    int greatest = MaxTree.NOTHING;
    for (int each = 0; each < trees.length; each++) {
      if (isOpen(each)) {
        greatest = Math.max(greatest, trees[each].greatest() + classes.value(each));
      }
    }
    return greatest;
  }

  /** Returns the first node, from a slot on, with the greatest total; -1 if there is none. */
  int firstWith(int total, int from) {
    int first = -1;
    for (int each = 0; each < trees.length; each++) {
      MaxTree tree = trees[each];
      if (isOpen(each) && tree.greatest() + classes.value(each) == total) {
        int slot = tree.firstWith(tree.greatest(), from);
        first = slot >= 0 && (first < 0 || slot < first) ? slot : first;
      }
    }
    return first;
  }

  /** Returns the number of reads of sums and maxima so far. */
  long reads() {
    return reads + leaves.reads();
  }

  /** Returns its memory in bytes. */
  long bytes() {
    return 100L
        + nodes.bytes()
        + 4L * counts.length
        + 8L * trees.length
        + treeCount * MaxTree.bytes(sums.length);
  }
}
