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

  /** The nodes to look at; empty but while the scorers are followed. */
  private final NodeSet changed = new NodeSet();

  /** The scales from raw scores to scores, by scorer; empty for one that has nothing to say now. */
  private final List<Optional<Scale>> scales = new ArrayList<>();

  /** The sum of the scores without a scale, by slot. */
  private int[] sums = {};

  /** The nodes among which was chosen last. */
  private final RankedNodes ranked;

  private boolean[] present = {};
  private int bulkMoves;
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
    this.ranked = new RankedNodes(classes, MOST_CLASSES, this::charge);
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
      follow();
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = scorers.get(i).changes().version();
    }
    choose(feasible, all);
    scale(feasible);
  }

  /** Looks at each changed node once, and at neighbors one after the other. */
  private void follow() {
    boolean any = false;
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] != scorers.get(i).changes().version()) {
        scorers.get(i).changes().forEachSince(seen[i], changed::add);
        any = true;
      }
    }
    if (any) {
      changed.forEach(this::look);
      changed.clear();
      ranked.settle();
    }
  }

  private void rebuild() {
    int slots = nodes.slots();
    changed.grow(capacity());
    seenSlots = slots;
    ranked.dropOrder();
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
    boolean moves = ranked.areInOrder() && ranked.contains(slot);
    if (moves) {
      ranked.remove(slot);
    }
    sums[slot] = sum;
    classes.put(slot, now, sums.length);
    if (moves && now < MOST_CLASSES) {
      ranked.putIn(slot);
    }
  }

  /** Follows the feasible nodes, in order if that is worth while. */
  private void choose(NodeSet feasible, boolean rebuilt) {
    ranked.keepFor(sums.length);
    int moved = ranked.changes(feasible);
    boolean few = moved <= nodes.slots() / PART_THAT_MOVES;
    bulkMoves = few ? 0 : bulkMoves + 1;
    boolean fit =
        bulkMoves <= MOST_BULK_MOVES
            && nodes.slots() >= LEAST_NODES
            && classes.size() <= MOST_CLASSES;
    if (ranked.areInOrder() && fit) {
      if (few) {
        ranked.move(feasible);
      } else if (ranked.treeCount() <= FEW_TREES) {
        ranked.moveBlocks(feasible);
      } else {
        ranked.take(feasible);
        order();
      }
      return;
    }
    ranked.take(feasible);
    if (fit && few && !rebuilt) {
      order();
    }
  }

  private void order() {
    ranked.order(sums);
    reads += nodes.slots();
  }

  private void scale(NodeSet feasible) {
    int size = classes.size();
    if (present.length < size) {
      present = new boolean[size * 2];
    }
    Arrays.fill(present, 0, size, false);
    if (ranked.areInOrder()) {
      ranked.mark(present);
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
    return ranked.areInOrder();
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
    int best = ranked.greatest();
    int slot = ranked.firstWith(best, turn);
    return slot >= 0 ? slot : ranked.firstWith(best, 0);
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
        ranked.takeOut(best[found++]);
        best[found] = ranked.firstWith(ranked.greatest(), 0);
      }
    } finally {
      for (int i = 0; i < found; i++) {
        ranked.putIn(best[i]);
      }
    }
    return best;
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
    return reads + ranked.reads();
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
    return 300L
        + 4L * sums.length
        + classes.bytes()
        + present.length
        + changed.bytes()
        + ranked.bytes();
  }

  /** The plan is remembered no more; the attempt under way may still read it. */
  public void release() {
    released = true;
    charge();
  }
}
