package io.berth.engine.ranking;

import io.berth.engine.framework.DomainGate;
import io.berth.engine.framework.NodeScorer;
import io.berth.engine.framework.Scale;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.RecentChanges;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The nodes for one plan, ordered by total: the sum of the weighted, normalized scores. It follows
 * the changes that scorers publish, so that a change of one node costs an update of that node only.
 *
 * <p>The total of a node has two parts. The part of scorers without a scale is constant until the
 * node changes. The part of scaled scorers is the same for all nodes of a {@linkplain NodeClasses
 * class}. So the best node is the best one of some class, which the {@linkplain MaxTree tree} of
 * each class provides. If there are few nodes, many classes, or changes of most nodes, all totals
 * are computed instead.
 */
public final class Ranking {
  /** The number of nodes below which a pass over all nodes is as fast. */
  private static final int LEAST_NODES = 512;

  /**
   * The number of classes above which a pass over all nodes is as fast, and trees use more memory
   * than totals.
   */
  private static final int MOST_CLASSES = 128;

  /**
   * The inverse of the fraction of moving nodes above which it is cheaper to read whole blocks
   * again.
   */
  private static final int PART_THAT_MOVES = 16;

  /**
   * The number of times in a row that the changes of all scores were known before the nodes are
   * ordered: a shape whose pods are rare among others falls behind before an order pays off.
   */
  private static final int FOLLOWED_BEFORE = 2;

  private final List<NodeScorer> scorers;
  private final ClusterState state;
  private final NodeTable nodes;
  private final NodeClasses classes;
  private final ScoreSums sums;
  private final List<NodeScorer> scaled = new ArrayList<>();
  private final @Nullable DomainGate gate;
  private final long[] seen;

  /** The scales from raw scores to scores, by scorer; empty for scorers that do not score now. */
  private final List<Optional<Scale>> scales = new ArrayList<>();

  /** The nodes of the last selection. */
  private final RankedNodes ranked;

  private boolean[] present = {};
  private int followed;
  private int seenSlots = -1;
  private long seenSums;
  private long seenGate;
  private int sortAgainAbove;
  private long looks;
  private long reads;
  private long passes;
  private long chargedBytes;
  private boolean released;

  /**
   * Creates a ranking by these scorers.
   *
   * @param gate the gate of a filter, which is refreshed before the ranking
   */
  public Ranking(
      List<NodeScorer> scorers,
      List<Integer> weights,
      Optional<DomainGate> gate,
      ClusterState state) {
    this.scorers = scorers;
    this.state = state;
    this.nodes = state.nodes();
    this.sums = ScoreSums.acquire(scorers, weights, state);
    List<Integer> ofScaled = new ArrayList<>();
    for (int i = 0; i < scorers.size(); i++) {
      scales.add(Optional.empty());
      if (scorers.get(i).scale().readsExtremes()) {
        scaled.add(scorers.get(i));
        ofScaled.add(weights.get(i));
      }
    }
    this.seen = new long[scaled.size()];
    this.gate = gate.orElse(null);
    this.classes = new NodeClasses(scaled, ofScaled, gate);
    this.ranked = new RankedNodes(classes, MOST_CLASSES, this::charge);
  }

  /** Refreshes the scorers, and ranks these nodes. */
  public void refresh(NodeSet feasible) {
    sums.refresh(feasible);
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < seen.length; i++) {
      scaled.get(i).refresh(feasible);
      all |= !scaled.get(i).changes().knowsSince(seen[i]);
    }
    all |= classes.size() > sortAgainAbove || gateVersion() != seenGate;
    boolean behind = !sums.changes().knowsSince(seenSums);
    if (behind) {
      ranked.dropOrder();
    }
    if (all) {
      rebuild();
    } else {
      followSums();
      followScoreClasses();
      ranked.settle();
    }
    seenSums = sums.changes().version();
    seenGate = gateVersion();
    for (int i = 0; i < seen.length; i++) {
      seen[i] = scaled.get(i).changes().version();
    }
    choose(feasible, all || behind);
    charge();
    scale();
  }

  private long gateVersion() {
    return gate == null ? 0 : gate.version();
  }

  private void followSums() {
    if (!ranked.areInOrder()) {
      return;
    }
    RecentChanges changes = sums.changes();
    looks += changes.version() - seenSums;
    for (long change = seenSums; change < changes.version(); change++) {
      ranked.change(changes.at(change), sums.before(change));
    }
  }

  private void followScoreClasses() {
    for (int i = 0; i < seen.length; i++) {
      scaled.get(i).changes().forEachSince(seen[i], this::sortAgain);
    }
  }

  private void rebuild() {
    int slots = nodes.slots();
    seenSlots = slots;
    ranked.dropOrder();
    classes.sort(slots, sums.bySlot().length);
    ranked.recount();
    sortAgainAbove = Math.max(MOST_CLASSES, 2 * classes.size());
    looks += slots;
    charge();
  }

  /** Assigns a node to a class again, and moves it there. */
  private void sortAgain(int slot) {
    looks++;
    int before = classes.of(slot);
    int now = classes.ofScoreClasses(slot, before);
    if (now == before) {
      return;
    }
    if (!ranked.contains(slot)) {
      classes.put(slot, now, sums.bySlot().length);
      return;
    }
    if (now >= MOST_CLASSES) {
      ranked.dropOrder();
    }
    boolean moves = ranked.areInOrder();
    if (moves) {
      ranked.remove(slot);
    } else {
      ranked.moved(before, now);
    }
    classes.put(slot, now, sums.bySlot().length);
    if (moves) {
      ranked.putIn(slot);
    }
  }

  /** Applies the changes of the feasible nodes, and orders them if that pays off. */
  private void choose(NodeSet feasible, boolean rebuilt) {
    ranked.keepFor(sums.bySlot().length);
    int moved = ranked.changes(feasible);
    boolean few = moved <= nodes.slots() / PART_THAT_MOVES;
    boolean fit = nodes.slots() >= LEAST_NODES && classes.size() <= MOST_CLASSES;
    if (ranked.areInOrder() && fit) {
      if (few) {
        ranked.move(feasible);
      } else {
        ranked.moveBlocks(feasible);
      }
      return;
    }
    ranked.take(feasible);
    followed = rebuilt ? 0 : followed + 1;
    if (fit && few && followed >= FOLLOWED_BEFORE) {
      order();
    }
  }

  private void order() {
    ranked.order(sums.bySlot());
    reads += nodes.slots();
  }

  private void scale() {
    int size = classes.size();
    if (present.length < size) {
      present = new boolean[size * 2];
    }
    Arrays.fill(present, 0, size, false);
    ranked.mark(present);
    List<Optional<Scale>> ofScaled = classes.scale(present);
    int at = 0;
    for (int i = 0; i < scorers.size(); i++) {
      NodeScorer scorer = scorers.get(i);
      if (scorer.scale().readsExtremes()) {
        scales.set(i, ofScaled.get(at++));
      } else {
        scales.set(i, scorer.isSkipped() ? Optional.empty() : Optional.of(fixed(scorer)));
      }
    }
  }

  private static Scale fixed(NodeScorer scorer) {
    return ScoreSums.fixed(scorer.scale());
  }

  /**
   * Returns the scales for a single feasible node, without changing the ranking.
   *
   * @param only the set with this node alone
   */
  public List<Optional<Scale>> scalesOver(NodeSet only) {
    int slot = only.next(0);
    List<Optional<Scale>> own = new ArrayList<>();
    for (NodeScorer scorer : scorers) {
      scorer.refreshOnly(slot, only);
      if (scorer.isSkipped()) {
        own.add(Optional.empty());
      } else if (scorer.scale().readsExtremes()) {
        Scale.Extremes extremes = new Scale.Extremes(scorer.scale());
        extremes.include(scorer.raw(slot));
        own.add(Optional.of(extremes.scale()));
      } else {
        own.add(Optional.of(fixed(scorer)));
      }
    }
    return own;
  }

  /**
   * Returns the scales from raw scores to scores, by scorer; empty for scorers that did not score.
   */
  public List<Optional<Scale>> scales() {
    return scales;
  }

  /**
   * Returns whether the nodes are ordered, so that the best are found without a pass over all
   * nodes.
   */
  public boolean isRanked() {
    return ranked.areInOrder();
  }

  /**
   * Computes the totals of all nodes.
   *
   * @param target the totals by slot; its length is a multiple of the slots per word
   */
  public void totals(int[] target) {
    reads += nodes.slots();
    passes++;
    classes.addValues(sums.bySlot(), target, nodes.slots());
  }

  /**
   * Returns the best nodes in descending order, without an order of the nodes. Nodes with equal
   * totals take turns to be the first: it is the first one from a slot on, or else from the
   * beginning; the others are in order of slots.
   *
   * @param feasible the nodes of the last {@link #refresh}, at least {@code count}
   */
  public int[] search(NodeSet feasible, int count, int turn) {
    BoundedSearch search = new BoundedSearch(sums, classes, count);
    int[] found = search.run(feasible, classes.greatestValue(present), turn);
    reads += search.reads();
    return found;
  }

  /**
   * Returns the best of the ranked nodes. Nodes with equal totals take turns: returns the first one
   * from a slot on, or else from the beginning.
   */
  public int next(int turn) {
    int best = ranked.greatest();
    int slot = ranked.firstWith(best, turn);
    return slot >= 0 ? slot : ranked.firstWith(best, 0);
  }

  /**
   * Returns the best of the ranked nodes in descending order, after a selected one; nodes with
   * equal totals are in order of slots.
   *
   * @param count the number of nodes, including the selected one
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
   * Returns the number of nodes examined so far to follow the scorers; tests compare it with the
   * number of changes.
   */
  public long looks() {
    return looks;
  }

  /**
   * Returns the number of totals read so far to find the best nodes; tests compare it with the
   * number of nodes.
   */
  public long reads() {
    return reads + ranked.reads();
  }

  /** Returns the number of times that the totals of all nodes were computed. */
  public long passes() {
    return passes;
  }

  private void charge() {
    long bytes = released ? 0 : bytes();
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  private long bytes() {
    return 300L + classes.bytes() + present.length + ranked.bytes();
  }

  /** Releases the ranking when its plan is dropped; the current attempt may still read it. */
  public void release() {
    released = true;
    charge();
    sums.release();
  }
}
