package io.berth.engine.cycle;

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
 * For one plan each node's total: the sum of the weighted, normalized scores. It follows what the
 * scorers publish. As long as no scorer's extremes over the feasible nodes move, only nodes whose
 * raw scores changed are added up again; otherwise all are, column by column.
 */
final class ScoreTotals {
  private final List<NodeScorer> scorers;
  private final List<Integer> weights;
  private final ClusterState state;
  private final NodeTable nodes;
  private final long[] seen;

  /** The scales from raw scores to scores, by scorer; empty for one that has nothing to say now. */
  private final List<Optional<Scale>> scales = new ArrayList<>();

  private int[] totals = {};
  private int seenSlots = -1;
  private long looks;
  private long chargedBytes;

  ScoreTotals(List<NodeScorer> scorers, List<Integer> weights, ClusterState state) {
    this.scorers = scorers;
    this.weights = weights;
    this.state = state;
    this.nodes = state.nodes();
    this.seen = new long[scorers.size()];
    scorers.forEach(scorer -> scales.add(Optional.empty()));
  }

  /** Refreshes the scorers, and follows them. */
  void refresh(NodeSet feasible) {
    boolean all = seenSlots != nodes.slots();
    for (int i = 0; i < seen.length; i++) {
      NodeScorer scorer = scorers.get(i);
      scorer.refresh(feasible);
      Optional<Scale> scale =
          scorer.isSkipped() ? Optional.empty() : Optional.of(scorer.scaleOver(feasible));
      all |= !scale.equals(scales.get(i)) || !scorer.changes().knowsSince(seen[i]);
      scales.set(i, scale);
    }
    if (all) {
      rebuild();
    } else {
      for (int i = 0; i < seen.length; i++) {
        scorers.get(i).changes().forEachSince(seen[i], this::look);
      }
    }
    for (int i = 0; i < seen.length; i++) {
      seen[i] = scorers.get(i).changes().version();
    }
  }

  /**
   * The scales where one node alone is feasible; {@link #totals} stay as they are.
   *
   * @param only the node, and no other
   */
  List<Optional<Scale>> scalesOver(NodeSet only) {
    List<Optional<Scale>> own = new ArrayList<>();
    for (NodeScorer scorer : scorers) {
      scorer.refresh(only);
      own.add(scorer.isSkipped() ? Optional.empty() : Optional.of(scorer.scaleOver(only)));
    }
    return own;
  }

  private void rebuild() {
    int slots = nodes.slots();
    seenSlots = slots;
    if (totals.length < slots) {
      // Words of slots are read as a whole.
      totals = new int[NodeSet.wordsFor(Math.max(64, slots * 3 / 2)) << 6];
      charge();
    } else {
      Arrays.fill(totals, 0, slots, 0);
    }
    for (int i = 0; i < seen.length; i++) {
      if (scales.get(i).isPresent()) {
        scales.get(i).get().addTo(totals, scorers.get(i).raw(), slots, weights.get(i));
      }
    }
    looks += slots;
  }

  private void look(int slot) {
    looks++;
    int total = 0;
    for (int i = 0; i < seen.length; i++) {
      if (scales.get(i).isPresent()) {
        total += scales.get(i).get().weighted(scorers.get(i).raw()[slot], weights.get(i));
      }
    }
    totals[slot] = total;
  }

  /** The totals by slot, as long as whole words of slots; not to be written to by others. */
  int[] totals() {
    return totals;
  }

  /** The scales from each scorer's raw scores to scores; empty for one that had nothing to say. */
  List<Optional<Scale>> scales() {
    return scales;
  }

  /**
   * The number of nodes that were added up so far: what a test holds against how many have changed.
   */
  long looks() {
    return looks;
  }

  private void charge() {
    long bytes = 200 + 4L * totals.length;
    state.answers().charge(bytes - chargedBytes);
    chargedBytes = bytes;
  }

  /** Nobody reads it any more. */
  void release() {
    state.answers().charge(-chargedBytes);
    chargedBytes = 0;
  }
}
