package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The verdicts of a plan's filters for one pod. */
sealed interface FilterResult {
  /** Returns the number of rejected nodes, by plugins and verdict. */
  List<RejectionCount> rejections();

  /** A rejection of the pod as a whole, regardless of nodes. */
  record PodRejected(RejectionCount rejection) implements FilterResult {
    @Override
    public List<RejectionCount> rejections() {
      return List.of(rejection);
    }
  }

  /**
   * Verdicts on individual nodes.
   *
   * @param feasible the nodes that passed every filter
   * @param examined the nodes that the filters checked: all except those excluded by name
   * @param named the only nodes that filters allow by name; empty if no filter names nodes
   * @param besideNominated the verdicts on nodes that fit the pod, but not together with the pods
   *     nominated there, by slot
   */
  record NodesFiltered(
      NodeSet feasible,
      NodeSet examined,
      NamedNodes named,
      Map<Integer, NominatedRoom.Rejection> besideNominated,
      List<RejectionCount> rejections)
      implements FilterResult {}

  /**
   * The one node that a pod names, if its answers are shared with pods that name other nodes.
   *
   * @param plugin the filter that rejects all other nodes
   */
  record Pin(String plugin, String nodeName) {}

  /**
   * The nodes that filters allow by name.
   *
   * @param plugins the filters that name nodes; empty if every node has to be checked
   * @param contradict whether no node is named by all of these filters
   */
  record NamedNodes(Set<String> plugins, Set<String> names, boolean contradict) {
    static final NamedNodes ALL = new NamedNodes(Set.of(), Set.of(), false);

    /** Returns the existing nodes of these; callers must not modify the set. */
    NodeSet slots(NodeTable nodes) {
      if (plugins.isEmpty()) {
        return nodes.alive();
      }
      NodeSet slots = new NodeSet(nodes.slots());
      for (String name : names) {
        int slot = nodes.slotOf(name);
        if (slot >= 0) {
          slots.add(slot);
        }
      }
      return slots;
    }

    Verdict verdict() {
      String list = "[" + String.join(" ", plugins) + "]";
      return Verdict.unresolvable(
          "node(s) didn't satisfy plugin(s) " + list + (contradict ? " simultaneously" : ""));
    }
  }
}
