package io.berth.engine.ranking;

import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * For one plan the nodes by total: the sum of the weighted, normalized scores. It follows what the
 * scorers publish, so that a pod after which one node has changed costs a look at that node.
 *
 * <p>A node's total has two parts. What scorers without a scale give is a number that stays until
 * something on the node changes. What scaled scorers give is the same for all nodes of a {@link
 * NodeClasses class}. So the best node is the best one of some class, and the {@linkplain MaxTree
 * tree} of each class knows that one. Where there are few nodes, many classes, or most nodes have
 * changed, all totals are added up instead.
 */
public final class Ranking {
  /** With fewer nodes a pass over all of them is as fast. */
  private static final int LEAST_NODES = 512;

  /** With more classes a pass over all nodes is as fast, and trees take more memory than totals. */
  private static final int MOST_CLASSES = 128;

  /** Sorting all nodes again is cheaper than to move this part of them. */
  private static final int PART_THAT_MOVES = 16;

  /** With more trees it is cheaper to make them again when many nodes move. */
  private static final int FEW_TREES = 4;

  /**
   * Where the feasible nodes are others each time, as in a search that ends early, order is lost.
   */
  private static final int MOST_BULK_MOVES = 2;

  private final List<NodeScorer> scorers;
  private final List<Integer> weights;
  private final ClusterState state;
  private final NodeTable nodes;
  private final NodeClasses classes;
  private final long[] seen;
  private final boolean[] skipped;

  /** The scales from raw scores to scores, by scorer; empty for one that has nothing to say now. */
  private final List<Optional<Scale>> scales = new ArrayList<>();

  /** The sum of the scores without a scale, by slot. */
  private int[] sums = {};

  /** The nodes among which was chosen last; those that are in the trees if there are any. */
  private NodeSet among = new NodeSet();

  private Leaves leaves;
  private MaxTree[] trees = {};
  private boolean[] present = {};
  private int treeCount;
  private int bulkMoves;
  private boolean ranked;
  private int seenSlots = -1;
  private int sortAgainAbove;
  private long looks;
  private long reads;
  private long passes;
  private long chargedBytes;
  private boolean released;

  /** A ranking by these scorers. */
  public Ranking(List<NodeScorer> scorers, List<Integer> weights, ClusterState state) {
    this.scorers = scorers;
    this.weights = weights;
    this.state = state;
    this.nodes = state.nodes();
    this.seen = new long[scorers.size()];
    this.skipped = new boolean[scorers.size()];
    List<NodeScorer> scaled = new ArrayList<>();
    List<Integer> ofScaled = new ArrayList<>();
    for (int i = 0; i < scorers.size(); i++) {
      scales.add(Optional.empty());
      if (scorers.get(i).scale().readsExtremes()) {
        scaled.add(scorers.get(i));
        ofScaled.add(weights.get(i));
      }
    }
    this.classes = new NodeClasses(scaled, ofScaled);
    this.leaves = new Leaves(sums, classes, among);
  }

  /** Refreshes the scorers, and ranks these nodes. */
  public void refresh(NodeSet feasible) {
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < seen.length; i++) {
      NodeScorer scorer = scorers.get(i);
      scorer.refresh(feasible);
      boolean skips = scorer.isSkipped();
      all |= !scorer.changes().knowsSince(seen[i]);
      all |= skips != skipped[i] && !scorer.scale().readsExtremes();
      skipped[i] = skips;
    }
    all |= classes.size() > sortAgainAbove;
    if (all) {
      rebuild();
    } else {
      for (int i = 0; i < seen.length; i++) {
        if (seen[i] != scorers.get(i).changes().version()) {
          scorers.get(i).changes().forEachSince(seen[i], this::look);
        }
      }
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = scorers.get(i).changes().version();
    }
    choose(feasible, all);
    scale(feasible);
  }

  private void rebuild() {
    int slots = nodes.slots();
    seenSlots = slots;
    unrank();
    if (sums.length < slots) {
      sums = new int[capacity()];
    } else {
      Arrays.fill(sums, 0, slots, 0);
    }
    for (int i = 0; i < seen.length; i++) {
      Scale.Kind kind = scorers.get(i).scale();
      if (!kind.readsExtremes() && !skipped[i]) {
        fixed(kind).addTo(sums, scorers.get(i).kinds(), slots, weights.get(i));
      }
    }
    classes.sort(slots, capacity());
    sortAgainAbove = Math.max(MOST_CLASSES, 2 * classes.size());
    looks += slots;
    charge();
  }

  private int capacity() {
    // Words of slots are read as a whole.
    return NodeSet.wordsFor(nodes.roomForSlots()) << 6;
  }

  private static Scale fixed(Scale.Kind kind) {
    return kind == Scale.Kind.NONE ? Scale.none() : Scale.fine();
  }

  private void look(int slot) {
    looks++;
    int sum = 0;
    for (int i = 0; i < seen.length; i++) {
      NodeScorer scorer = scorers.get(i);
      if (!scorer.scale().readsExtremes() && !skipped[i]) {
        sum += fixed(scorer.scale()).weighted(scorer.kinds()[slot], weights.get(i));
      }
    }
    int before = classes.of(slot);
    int now = classes.ofKinds(slot, before);
    if (sum == sums[slot] && now == before) {
      return;
    }
    boolean moves = ranked && among.contains(slot);
    if (moves) {
      takeOut(slot);
    }
    sums[slot] = sum;
    classes.put(slot, now, sums.length);
    if (moves && now < MOST_CLASSES) {
      putIn(slot);
    }
  }

  private void takeOut(int slot) {
    among.remove(slot);
    trees[classes.of(slot)].removed(slot, sums[slot]);
  }

  private void putIn(int slot) {
    among.add(slot);
    treeOf(classes.of(slot)).added(slot, sums[slot]);
  }

  private MaxTree treeOf(int ofClass) {
    if (ofClass >= trees.length) {
      trees = Arrays.copyOf(trees, Math.min(MOST_CLASSES, 4 + 2 * ofClass));
    }
    MaxTree tree = trees[ofClass];
    if (tree == null) {
      tree = new MaxTree(sums.length, leaves, ofClass);
      trees[ofClass] = tree;
      treeCount++;
      charge();
    }
    return tree;
  }

  /** Follows the feasible nodes, in the trees if that is worth while. */
  private void choose(NodeSet feasible, boolean rebuilt) {
    if (among.words().length << 6 < sums.length) {
      among.grow(sums.length);
    }
    int moved = changes(feasible);
    boolean few = moved <= nodes.slots() / PART_THAT_MOVES;
    bulkMoves = few ? 0 : bulkMoves + 1;
    boolean fit =
        bulkMoves <= MOST_BULK_MOVES
            && nodes.slots() >= LEAST_NODES
            && classes.size() <= MOST_CLASSES;
    if (ranked && fit) {
      if (few) {
        move(feasible);
      } else if (treeCount <= FEW_TREES) {
        moveBlocks(feasible);
      } else {
        unrank();
        among.copy(feasible);
        rank();
      }
      return;
    }
    unrank();
    among.copy(feasible);
    if (fit && few && !rebuilt) {
      rank();
    }
  }

  private int changes(NodeSet feasible) {
    long[] now = feasible.words();
    long[] before = among.words();
    int changes = 0;
    for (int word = 0; word < before.length; word++) {
      long change = before[word] ^ (word < now.length ? now[word] : 0);
      if (change != 0) {
        changes += Long.bitCount(change);
      }
    }
    return changes;
  }

  private void move(NodeSet feasible) {
    long[] now = feasible.words();
    long[] before = among.words();
    for (int word = 0; word < before.length; word++) {
      long change = before[word] ^ (word < now.length ? now[word] : 0);
      for (; change != 0; change &= change - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(change);
        if (among.contains(slot)) {
          takeOut(slot);
        } else {
          putIn(slot);
        }
      }
    }
  }

  /** As {@link #move}, reading each block of nodes of which some move again. */
  private void moveBlocks(NodeSet feasible) {
    long[] now = feasible.words();
    long[] before = among.words();
    for (int word = 0; word < before.length; word++) {
      long want = word < now.length ? now[word] : 0;
      if (before[word] == want) {
        continue;
      }
      for (long bits = want & ~before[word]; bits != 0; bits &= bits - 1) {
        treeOf(classes.of((word << 6) + Long.numberOfTrailingZeros(bits)));
      }
      before[word] = want;
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

  private void rank() {
    ranked = true;
    leaves = new Leaves(sums, classes, among);
    long[] words = among.words();
    for (int word = 0; word < words.length; word++) {
      for (long bits = words[word]; bits != 0; bits &= bits - 1) {
        int slot = (word << 6) + Long.numberOfTrailingZeros(bits);
        int ofClass = classes.of(slot);
        MaxTree tree = ofClass < trees.length ? trees[ofClass] : null;
        (tree == null ? treeOf(ofClass) : tree).added(slot, sums[slot]);
      }
    }
    reads += nodes.slots();
  }

  private void unrank() {
    if (ranked) {
      ranked = false;
      reads += leaves.reads();
      leaves = new Leaves(sums, classes, among);
      trees = new MaxTree[0];
      treeCount = 0;
    }
  }

  private void scale(NodeSet feasible) {
    int size = classes.size();
    if (present.length < size) {
      present = new boolean[size * 2];
    }
    Arrays.fill(present, 0, size, false);
    if (ranked) {
      for (int each = 0; each < trees.length; each++) {
        if (trees[each] != null) {
          present[each] = !trees[each].isEmpty();
        }
      }
    } else {
      classes.mark(feasible, present);
    }
    List<Optional<Scale>> scaled = classes.scale(present);
    int at = 0;
    for (int i = 0; i < seen.length; i++) {
      Scale.Kind kind = scorers.get(i).scale();
      if (kind.readsExtremes()) {
        scales.set(i, scaled.get(at++));
      } else {
        scales.set(i, skipped[i] ? Optional.empty() : Optional.of(fixed(kind)));
      }
    }
  }

  /**
   * The scales where one node alone is feasible; the ranking stays as it is.
   *
   * @param only the node, and no other
   */
  public List<Optional<Scale>> scalesOver(NodeSet only) {
    int slot = only.next(0);
    List<Optional<Scale>> own = new ArrayList<>();
    for (NodeScorer scorer : scorers) {
      scorer.refresh(only);
      if (scorer.isSkipped()) {
        own.add(Optional.empty());
      } else if (scorer.scale().readsExtremes()) {
        Scale.Extremes extremes = new Scale.Extremes(scorer.scale());
        extremes.include(scorer.raw(slot));
        own.add(Optional.of(extremes.scale()));
      } else {
        own.add(Optional.of(fixed(scorer.scale())));
      }
    }
    return own;
  }

  /** The scales from each scorer's raw scores to scores; empty for one that had nothing to say. */
  public List<Optional<Scale>> scales() {
    return scales;
  }

  /** Returns whether the nodes are in order, so that the best are found without a pass over all. */
  public boolean isRanked() {
    return ranked;
  }

  /**
   * Adds up the totals of all nodes.
   *
   * @param target by slot, as long as whole words of slots
   */
  public void totals(int[] target) {
    reads += nodes.slots();
    passes++;
    classes.addValues(sums, target, nodes.slots());
  }

  /**
   * The best of the ranked nodes, of equal ones the next in turn: the first from one slot on, or
   * else from the beginning.
   */
  public int next(int turn) {
    int best = greatest();
    int slot = firstWith(best, turn);
    return slot >= 0 ? slot : firstWith(best, 0);
  }

  /**
   * The best of the ranked nodes in their order, of equal ones the first slot first, after one that
   * was chosen.
   *
   * @param count how many, the chosen one included
   */
  public int[] best(int count, int chosen) {
    int[] best = new int[count];
    best[0] = chosen;
    int found = 0;
    try {
      while (found + 1 < count) {
        takeOut(best[found++]);
        best[found] = firstWith(greatest(), 0);
      }
    } finally {
      for (int i = 0; i < found; i++) {
        putIn(best[i]);
      }
    }
    return best;
  }

  private int greatest() {
    int greatest = MaxTree.NOTHING;
    for (int each = 0; each < trees.length; each++) {
      if (trees[each] != null && !trees[each].isEmpty()) {
        greatest = Math.max(greatest, trees[each].greatest() + classes.value(each));
      }
    }
    return greatest;
  }

  private int firstWith(int total, int from) {
    int first = -1;
    for (int each = 0; each < trees.length; each++) {
      MaxTree tree = trees[each];
      if (tree != null && !tree.isEmpty() && tree.greatest() + classes.value(each) == total) {
        int slot = tree.firstWith(tree.greatest(), from);
        first = slot >= 0 && (first < 0 || slot < first) ? slot : first;
      }
    }
    return first;
  }

  /**
   * The number of nodes that were looked at so far to follow the scorers: what a test holds against
   * how many have changed.
   */
  public long looks() {
    return looks;
  }

  /**
   * The number of totals that were read so far to find the best: what a test holds against how many
   * nodes there are.
   */
  public long reads() {
    return reads + leaves.reads();
  }

  /** The number of times that the totals of all nodes were added up. */
  public long passes() {
    return passes;
  }

  private void charge() {
    long bytes = released ? 0 : bytes();
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  private long bytes() {
    long ofTrees = 0;
    for (MaxTree tree : trees) {
      ofTrees += tree == null ? 8 : 8 + MaxTree.bytes(sums.length);
    }
    return 400L + 4L * sums.length + among.bytes() + classes.bytes() + present.length + ofTrees;
  }

  /** The plan is remembered no more; the attempt under way may still read it. */
  public void release() {
    released = true;
    charge();
  }
}
