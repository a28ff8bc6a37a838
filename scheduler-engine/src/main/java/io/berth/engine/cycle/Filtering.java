package io.berth.engine.cycle;

import io.berth.engine.cycle.FilterResult.NamedNodes;
import io.berth.engine.cycle.FilterResult.NodesFiltered;
import io.berth.engine.decision.RejectionCount;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Filters the nodes for a pod, with the reasons for rejections. A node counts for the first filter
 * that rejects it, in the policy's order.
 *
 * <p>If pods of equal or higher priority are nominated for a node, the pod has to fit both with and
 * without them.
 */
final class Filtering {
  private final NodeTable nodes;
  private final Nominations nominations;
  private int[] counts = new int[16];

  Filtering(ClusterState state, Nominations nominations) {
    this.nodes = state.nodes();
    this.nominations = nominations;
  }

  /**
   * Runs every filter of the plan on every node.
   *
   * @param nominatedFirst whether the pod's nominated node is the only result if it fits
   */
  FilterResult run(PodEntry pod, ShapePlan plan, boolean nominatedFirst) {
    for (NodeFilter filter : plan.filters()) {
      filter.refresh();
    }
    Optional<RejectionCount> rejection = rejectionOfPod(plan);
    if (rejection.isPresent()) {
      return new FilterResult.PodRejected(rejection.get());
    }
    NamedNodes named = namedNodes(plan, plan.pinOf(pod));
    List<RejectionCount> rejections = new ArrayList<>();
    NodeSet examined;
    NodeSet feasible;
    if (named.plugins().isEmpty() && !plan.policy().checkAllFilters()) {
      FirstRejections first = plan.firstRejections();
      first.refresh();
      examined = nodes.alive();
      feasible = nominations.isEmpty() ? first.feasible() : NodeSet.copyOf(first.feasible());
      rejections.addAll(first.counts());
    } else {
      examined = named.slots(nodes);
      feasible = NodeSet.copyOf(examined);
      int leftOut = nodes.size() - examined.size();
      if (leftOut > 0) {
        rejections.add(RejectionCount.byAll(named.plugins(), named.verdict(), leftOut));
      }
      rejectAll(plan, examined, feasible, rejections);
    }
    Map<Integer, NominatedRoom.Rejection> besideNominated = Map.of();
    if (!nominations.isEmpty()) {
      besideNominated = new HashMap<>();
      feasible = besideNominated(pod, plan, feasible, nominatedFirst, besideNominated);
      besideNominated.values().forEach(found -> rejections.add(counted(found, plan)));
    }
    return new NodesFiltered(feasible, examined, named, besideNominated, rejections);
  }

  /** Returns the result restricted to these nodes, because a search examined no others. */
  NodesFiltered among(NodeSet examined, NodesFiltered result, ShapePlan plan) {
    if (examined.size() == result.examined().size()) {
      return result;
    }
    List<RejectionCount> rejections = new ArrayList<>();
    int leftOut = nodes.size() - result.examined().size();
    if (leftOut > 0) {
      rejections.add(
          RejectionCount.byAll(result.named().plugins(), result.named().verdict(), leftOut));
    }
    rejectAll(plan, examined, NodeSet.copyOf(examined), rejections);
    result
        .besideNominated()
        .forEach(
            (slot, found) -> {
              if (examined.contains(slot)) {
                rejections.add(counted(found, plan));
              }
            });
    return new NodesFiltered(
        result.feasible(), examined, result.named(), result.besideNominated(), rejections);
  }

  /**
   * Returns whether the node passes all filters of the plan, also beside the pods that are
   * nominated for it. Judges this node alone.
   */
  boolean passes(PodEntry pod, ShapePlan plan, int slot) {
    if (!nodes.alive().contains(slot)) {
      return false;
    }
    String name = nodes.name(slot);
    Optional<FilterResult.Pin> pin = plan.pinOf(pod);
    if (pin.isPresent() && !pin.get().nodeName().equals(name)) {
      return false;
    }
    for (NodeFilter filter : plan.filters()) {
      if (filter.rejectsPod().isPresent()
          || filter.onlyNodes().filter(only -> !only.contains(name)).isPresent()
          || filter.evaluate(slot) != NodeFilter.PASSES) {
        return false;
      }
    }
    return nominations.isEmpty() || plan.nominatedRoom().check(pod, slot, nominations) == null;
  }

  private static RejectionCount counted(NominatedRoom.Rejection found, ShapePlan plan) {
    return RejectionCount.by(
        plan.filterNames().get(found.filter()),
        plan.filters().get(found.filter()).verdict(found.verdict()),
        1);
  }

  private Optional<RejectionCount> rejectionOfPod(ShapePlan plan) {
    Optional<RejectionCount> found = Optional.empty();
    for (int i = 0; i < plan.filters().size(); i++) {
      Optional<Verdict> verdict = plan.filters().get(i).rejectsPod();
      if (verdict.isPresent()) {
        found =
            Optional.of(RejectionCount.by(plan.filterNames().get(i), verdict.get(), nodes.size()));
        if (!verdict.get().resolvable()) {
          break;
        }
      }
    }
    return found;
  }

  /** Returns the nodes that filters, and the pod itself, allow by name. */
  private static NamedNodes namedNodes(ShapePlan plan, Optional<FilterResult.Pin> pin) {
    if (pin.isEmpty() && !namesNodes(plan)) {
      return NamedNodes.ALL;
    }
    Set<String> named = new HashSet<>();
    Set<String> plugins = new TreeSet<>();
    if (pin.isPresent()) {
      named.add(pin.get().nodeName());
      plugins.add(pin.get().plugin());
    }
    for (int i = 0; i < plan.filters().size(); i++) {
      Optional<Set<String>> only = plan.filters().get(i).onlyNodes();
      if (only.isPresent()) {
        if (plugins.isEmpty()) {
          named.addAll(only.get());
        } else {
          named.retainAll(only.get());
        }
        plugins.add(plan.filterNames().get(i));
      }
    }
    return new NamedNodes(plugins, named, named.isEmpty());
  }

  private static boolean namesNodes(ShapePlan plan) {
    for (NodeFilter filter : plan.filters()) {
      if (filter.onlyNodes().isPresent()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the nodes that fit the pod together with the pods nominated for them, or only the pod's
   * own nominated node if it is among them. Nodes that reject the pod already are not checked
   * again.
   *
   * @param rejected receives the nodes that do not fit
   */
  private NodeSet besideNominated(
      PodEntry pod,
      ShapePlan plan,
      NodeSet feasible,
      boolean nominatedFirst,
      Map<Integer, NominatedRoom.Rejection> rejected) {
    NominatedRoom room = plan.nominatedRoom();
    int own = nominations.nodeOf(pod.ref().uid()).map(nodes::slotOf).orElse(-1);
    if (nominatedFirst
        && own >= 0
        && feasible.contains(own)
        && room.check(pod, own, nominations) == null) {
      NodeSet only = new NodeSet(nodes.slots());
      only.add(own);
      return only;
    }
    for (String nodeName : nominations.nodes()) {
      int slot = nodes.slotOf(nodeName);
      if (slot >= 0 && feasible.contains(slot)) {
        NominatedRoom.Rejection found = room.check(pod, slot, nominations);
        if (found != null) {
          rejected.put(slot, found);
          feasible.remove(slot);
        }
      }
    }
    return feasible;
  }

  private void rejectAll(
      ShapePlan plan, NodeSet examined, NodeSet left, List<RejectionCount> rejections) {
    NodeSet asked = plan.policy().checkAllFilters() ? examined : left;
    for (int i = 0; i < plan.filters().size(); i++) {
      reject(plan.filterNames().get(i), plan.filters().get(i), asked.words(), left, rejections);
    }
  }

  /**
   * Removes the nodes that the filter rejects from the remaining ones, and counts the rejections by
   * verdict.
   */
  private void reject(
      String plugin,
      NodeFilter filter,
      long[] asked,
      NodeSet remaining,
      List<RejectionCount> rejections) {
    if (counts.length < filter.verdicts()) {
      counts = new int[filter.verdicts() * 2];
    }
    long[] left = remaining.words();
    long[] rejected = filter.rejected().words();
    int words = Math.min(Math.min(left.length, rejected.length), asked.length);
    boolean any = false;
    for (int word = 0; word < words; word++) {
      long both = asked[word] & rejected[word];
      any |= both != 0;
      left[word] &= ~both;
      for (; both != 0; both &= both - 1) {
        counts[filter.verdictAt((word << 6) + Long.numberOfTrailingZeros(both))]++;
      }
    }
    for (int verdict = 1; any && verdict < filter.verdicts(); verdict++) {
      if (counts[verdict] > 0) {
        rejections.add(RejectionCount.by(plugin, filter.verdict(verdict), counts[verdict]));
        counts[verdict] = 0;
      }
    }
  }
}
