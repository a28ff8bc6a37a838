package io.berth.engine.group;

import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.PodEntry;
import java.util.List;

/**
 * A set of nodes for the members of a group.
 *
 * @param name a unique name among the places of one group
 * @param nodes the nodes to use, followed by larger sets to use if they do not suffice; empty for
 *     all nodes
 */
public record GroupPlace(String name, List<NodeSet> nodes) {
  private static final Verdict OUTSIDE =
      Verdict.unschedulable("node(s) were outside of the topology domain of the group");

  /** Returns the whole cluster. */
  static GroupPlace anywhere() {
    return new GroupPlace("", List.of());
  }

  int rings() {
    return Math.max(1, nodes.size());
  }

  /** Searches a node for a member, in the larger sets if the smaller ones do not suffice. */
  public Cycle.Ended run(Cycle cycle, PodEntry pod, ShapePlan plan) {
    for (int ring = 0; ring + 1 < rings(); ring++) {
      if (run(cycle, pod, plan, ring) instanceof Cycle.Found found) {
        return found;
      }
    }
    return run(cycle, pod, plan, rings() - 1);
  }

  /** Searches a node for a member in one of the sets. */
  public Cycle.Ended run(Cycle cycle, PodEntry pod, ShapePlan plan, int ring) {
    return nodes.isEmpty()
        ? cycle.run(pod, plan)
        : cycle.runWithin(pod, plan, nodes.get(ring), GroupSearch.PLUGIN, OUTSIDE);
  }
}
