package io.berth.engine.preemption;

import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.LeastImportantPods;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The knowledge about nodes before dry runs, for all preemptors of one kind. */
final class UntriedNodes implements NodesByRank.Bounds {
  private final NodeTable nodes;
  private final EvictionOrder order;
  private final DryRuns.Question question;
  private final DryRunCache runs;
  private final List<PodEntry> lower = new ArrayList<>();

  /**
   * @param runs the results for the kind of preemptor
   */
  UntriedNodes(ClusterState state, DryRuns.Question question, DryRunCache runs) {
    this.nodes = state.nodes();
    this.order = state.evictionOrder();
    this.question = question;
    this.runs = runs;
  }

  @Override
  public @Nullable Rank roughly(int slot) {
    LeastImportantPods least = nodes.leastImportant();
    int lowest = least.priority(slot);
    if (nodes.podCount(slot) == 0 || !order.mightDisplaceAnyOf(lowest, question.preemptor())) {
      return null;
    }
    int fewest = 1;
    for (NodeFilter filter : question.filters()) {
      DryRunHints hints = filter.dryRunHints();
      if (!hints.maySettle()) {
        fewest = Math.max(fewest, hints.fewestToLeave(slot));
      }
    }
    return Rank.ofEqualVictims(lowest, fewest, least.latestStart(slot));
  }

  @Override
  public @Nullable Rank of(int slot) {
    findLower(slot);
    if (lower.isEmpty()) {
      return null;
    }
    int fewest = 1;
    for (NodeFilter filter : question.filters()) {
      DryRunHints hints = filter.dryRunHints();
      if (!hints.maySettle()) {
        fewest = Math.max(fewest, hints.fewestToLeave(slot, lower));
      }
    }
    return Rank.atBest(lower, fewest);
  }

  @Override
  public boolean isAlone(int slot) {
    if (!runs.countsOutsideOn(slot)) {
      return false;
    }
    findLower(slot);
    for (PodEntry pod : lower) {
      if (runs.countsOutside(pod)) {
        return true;
      }
    }
    return false;
  }

  /** Finds the pods that the preemptor may evict, if the rules allow it. */
  private void findLower(int slot) {
    lower.clear();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      PodEntry pod = nodes.pod(slot, i);
      if (order.mayDisplace(pod, question.preemptor())) {
        lower.add(pod);
      }
    }
  }
}
