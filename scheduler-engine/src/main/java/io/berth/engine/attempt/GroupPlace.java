package io.berth.engine.attempt;

import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Verdict;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.List;

/**
 * A place in which the members of a group may be.
 *
 * @param name differs between the places of one group
 * @param nodes the nodes to use, and where they do not suffice the larger sets to use instead;
 *     empty for all nodes
 */
record GroupPlace(String name, List<NodeSet> nodes) {
  private static final Verdict OUTSIDE =
      Verdict.unschedulable("node(s) were outside of the topology domain of the group");

  /** The whole cluster. */
  static GroupPlace anywhere() {
    return new GroupPlace("", List.of());
  }

  int rings() {
    return Math.max(1, nodes.size());
  }

  /** Looks for a node for a member, in the larger sets where the smaller ones do not suffice. */
  Cycle.Ended run(Cycle cycle, PodEntry pod, ShapePlan plan) {
    for (int ring = 0; ring + 1 < rings(); ring++) {
      if (run(cycle, pod, plan, ring) instanceof Cycle.Found found) {
        return found;
      }
    }
    return run(cycle, pod, plan, rings() - 1);
  }

  /** Looks for a node for a member. */
  Cycle.Ended run(Cycle cycle, PodEntry pod, ShapePlan plan, int ring) {
    return nodes.isEmpty()
        ? cycle.run(pod, plan)
        : cycle.runWithin(pod, plan, nodes.get(ring), PendingPods.GROUP, OUTSIDE);
  }
}
