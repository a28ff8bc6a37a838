package io.berth.engine.preemption;

import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.EvictionOrder;
import io.berth.engine.state.LeastImportantPods;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;
import org.jspecify.annotations.Nullable;

/** The knowledge about nodes before dry runs, for all preemptors of one kind. */
final class UntriedNodes implements NodesByRank.Bounds {
  private final NodeTable nodes;
  private final EvictionOrder order;
  private final DryRuns.Question question;
  private final DryRunCache runs;
  private final boolean comparesOnlyPriorities;

  /** The pods that the preemptor may displace, if more than their priorities decides. */
  private final PodColumns displaceable;

  /**
   * @param runs the results for the kind of preemptor
   */
  UntriedNodes(ClusterState state, DryRuns.Question question, DryRunCache runs) {
    this.nodes = state.nodes();
    this.order = state.evictionOrder();
    this.question = question;
    this.runs = runs;
    this.displaceable = new PodColumns(state.resources());
    this.comparesOnlyPriorities = order.comparesOnlyPriorities(question.preemptor());
  }

  @Override
  public @Nullable Rank roughly(int slot) {
    LeastImportantPods least = nodes.leastImportant();
    int lowest = least.priority(slot);
    if (nodes.podCount(slot) == 0 || !order.mightDisplaceAnyOf(lowest, question.preemptor())) {
      return null;
    }
    int below = comparesOnlyPriorities ? question.preemptor().priority() : Integer.MAX_VALUE;
    int fewest = 1;
    for (NodeFilter filter : question.filters()) {
      DryRunHints hints = filter.dryRunHints();
      if (!hints.maySettle()) {
        fewest = Math.max(fewest, hints.fewestToLeave(slot, below));
      }
    }
    return Rank.ofEqualVictims(lowest, fewest, least.latestStart(slot));
  }

  @Override
  public @Nullable Rank of(int slot) {
    PodColumns pods = nodes.leastImportant().inOrder(slot);
    int count;
    if (comparesOnlyPriorities) {
      count = pods.below(question.preemptor().priority());
    } else {
      displaceable.keep(pods, this::mayDisplace);
      pods = displaceable;
      count = pods.size();
    }
    if (count == 0) {
      return null;
    }
    int fewest = 1;
    for (NodeFilter filter : question.filters()) {
      DryRunHints hints = filter.dryRunHints();
      if (!hints.maySettle()) {
        fewest = Math.max(fewest, hints.fewestToLeave(slot, pods, count));
      }
    }
    return Rank.atBest(pods, fewest);
  }

  @Override
  public boolean isAlone(int slot) {
    if (!runs.countsOutsideOn(slot)) {
      return false;
    }
    for (int i = 0; i < nodes.podCount(slot); i++) {
      PodEntry pod = nodes.pod(slot, i);
      if (mayDisplace(pod) && runs.countsOutside(pod)) {
        return true;
      }
    }
    return false;
  }

  private boolean mayDisplace(PodEntry pod) {
    return order.mayDisplace(pod, question.preemptor());
  }
}
