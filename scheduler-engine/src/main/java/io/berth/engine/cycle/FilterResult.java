package io.berth.engine.cycle;

import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.Verdict;
import io.berth.engine.state.NodeSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The verdicts of a plan's filters about one pod. */
sealed interface FilterResult {
  /** The number of nodes that were rejected, by plugins and verdict. */
  List<RejectionCount> rejections();

  /** A filter rejects the pod as a whole, whatever the node. */
  record PodRejected(RejectionCount rejection) implements FilterResult {
    @Override
    public List<RejectionCount> rejections() {
      return List.of(rejection);
    }
  }

  /**
   * Each node by itself.
   *
   * @param feasible those that passed every filter
   * @param examined those that the filters were asked about: all but those left out by name
   * @param named the only nodes that filters named; empty where none names nodes
   * @param besidePromised verdicts on nodes that fit the pod, but not beside those that are
   *     promised room there, by slot
   */
  record NodesFiltered(
      NodeSet feasible,
      NodeSet examined,
      NamedNodes named,
      Map<Integer, PromisedRoom.Rejection> besidePromised,
      List<RejectionCount> rejections)
      implements FilterResult {}

  /**
   * The one node that a pod names, where its answers are shared with pods that name others.
   *
   * @param plugin the filter that keeps the pod off all others
   */
  record Pin(String plugin, String nodeName) {}

  /**
   * The nodes that filters name.
   *
   * @param plugins the filters that name nodes; empty where every node is worth a look
   * @param contradict whether no node is named by all of them
   */
  record NamedNodes(Set<String> plugins, Set<String> names, boolean contradict) {
    static final NamedNodes ALL = new NamedNodes(Set.of(), Set.of(), false);

    boolean leavesOut(String nodeName) {
      return !plugins.isEmpty() && !names.contains(nodeName);
    }

    Verdict verdict() {
      String list = "[" + String.join(" ", plugins) + "]";
      return Verdict.unresolvable(
          "node(s) didn't satisfy plugin(s) " + list + (contradict ? " simultaneously" : ""));
    }
  }
}
