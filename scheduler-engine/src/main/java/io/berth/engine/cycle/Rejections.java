package io.berth.engine.cycle;

import io.berth.engine.cycle.FilterResult.NamedNodes;
import io.berth.engine.cycle.FilterResult.NodesFiltered;
import io.berth.engine.cycle.FilterResult.PodRejected;
import io.berth.engine.decision.NodeJudgement.FilterVerdict;
import io.berth.engine.framework.DryRunHints;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.framework.Verdict;
import io.berth.engine.framework.VerdictFigures;
import io.berth.engine.state.NodeSet;
import io.berth.engine.state.NodeTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rejections of a pod, by node. */
final class Rejections {
  private final FilterResult result;
  private final ShapePlan plan;
  private final Optional<FilterResult.Pin> pin;
  private final NodeTable nodes;

  Rejections(FilterResult result, ShapePlan plan, Optional<FilterResult.Pin> pin, NodeTable nodes) {
    this.result = result;
    this.plan = plan;
    this.pin = pin;
    this.nodes = nodes;
  }

  /** Returns the nodes whose first rejection evictions may resolve. */
  NodeSet curableByEviction() {
    NodeSet curable = mayBeCurable();
    for (NodeFilter filter : plan.filters()) {
      DryRunHints hints = filter.dryRunHints();
      if (hints.maySettle() && hints != DryRunHints.SETTLED_EVERYWHERE) {
        filter
            .rejected()
            .forEach(
                slot -> {
                  if (filter.verdict(filter.verdictAt(slot)).releasable()
                      && hints.isSettled(slot)) {
                    curable.remove(slot);
                  }
                });
      }
    }
    return curable;
  }

  private NodeSet mayBeCurable() {
    return switch (result) {
      case PodRejected pod ->
          pod.rejection().verdict().mayBeCuredByEviction()
              ? NodeSet.copyOf(nodes.alive())
              : new NodeSet(nodes.slots());
      case NodesFiltered filtered when followsFirstRejections(filtered) -> {
        NodeSet curable = NodeSet.copyOf(plan.firstRejections().curableByEviction());
        filtered
            .besideNominated()
            .forEach((slot, rejection) -> curable.put(slot, isCurable(rejection)));
        yield curable;
      }
      case NodesFiltered filtered -> {
        NodeSet curable = new NodeSet(nodes.slots());
        filtered
            .named()
            .slots(nodes)
            .forEach(
                slot -> {
                  if (isCurable(slot, filtered)) {
                    curable.add(slot);
                  }
                });
        yield curable;
      }
    };
  }

  /** Returns whether the plan has tracked the first rejection of each node for this result. */
  private boolean followsFirstRejections(NodesFiltered filtered) {
    return filtered.named().plugins().isEmpty() && !plan.policy().checkAllFilters();
  }

  private boolean isCurable(NominatedRoom.Rejection beside) {
    return plan.filters().get(beside.filter()).verdict(beside.verdict()).mayBeCuredByEviction();
  }

  private boolean isCurable(int slot, NodesFiltered filtered) {
    NominatedRoom.Rejection beside = filtered.besideNominated().get(slot);
    if (beside != null) {
      return isCurable(beside);
    }
    for (NodeFilter filter : plan.filters()) {
      int verdict = filter.verdictAt(slot);
      if (verdict != NodeFilter.PASSES) {
        return filter.verdict(verdict).mayBeCuredByEviction();
      }
    }
    return false;
  }

  /**
   * Returns the verdict of every filter on every node that it rejects, by filter and node name. A
   * filter that rejects the pod, or allows other nodes by name, rejects each node in this way.
   */
  Map<String, Map<String, Verdict>> byFilterAndNode() {
    Map<String, Map<String, Verdict>> verdicts = new TreeMap<>();
    pin.ifPresent(named -> verdicts.put(named.plugin(), besidePinned(named)));
    for (int i = 0; i < plan.filters().size(); i++) {
      NodeFilter filter = plan.filters().get(i);
      String name = plan.filterNames().get(i);
      Map<String, Verdict> ofFilter = new TreeMap<>();
      nodes
          .alive()
          .forEach(
              slot -> {
                Verdict verdict = verdictOn(slot, filter, name);
                if (verdict != null) {
                  ofFilter.put(nodes.name(slot), verdict);
                }
              });
      ofFilter.putAll(verdicts.getOrDefault(name, Map.of()));
      verdicts.put(name, ofFilter);
    }
    verdicts.values().removeIf(Map::isEmpty);
    return verdicts;
  }

  /** Returns the verdicts of all filters on one node. */
  List<FilterVerdict> on(int slot) {
    List<FilterVerdict> verdicts = new ArrayList<>();
    NominatedRoom.Rejection beside =
        result instanceof NodesFiltered filtered ? filtered.besideNominated().get(slot) : null;
    for (int i = 0; i < plan.filters().size(); i++) {
      NodeFilter filter = plan.filters().get(i);
      boolean isBeside = beside != null && beside.filter() == i;
      verdicts.add(
          new FilterVerdict(
              plan.filterNames().get(i),
              isBeside
                  ? Optional.of(filter.verdict(beside.verdict()))
                  : rejection(slot, filter, plan.filterNames().get(i)),
              figures(filter, slot),
              isBeside));
    }
    return verdicts;
  }

  /** Returns the rejection of a node by a filter, also of nodes beside the one that a pod names. */
  private Optional<Verdict> rejection(int slot, NodeFilter filter, String name) {
    String node = nodes.name(slot);
    return pin.filter(named -> named.plugin().equals(name) && !named.nodeName().equals(node))
        .map(named -> besidePinned(named).get(node))
        .or(() -> Optional.ofNullable(verdictOn(slot, filter, name)));
  }

  /** Returns the figures behind a filter's own verdict on one node. */
  private static String figures(NodeFilter filter, int slot) {
    return filter instanceof VerdictFigures figures && filter.rejectsPod().isEmpty()
        ? figures.figures(slot)
        : "";
  }

  /** Returns the verdicts on the other nodes for a pod that names its node. */
  private Map<String, Verdict> besidePinned(FilterResult.Pin named) {
    Verdict verdict =
        new NamedNodes(Set.of(named.plugin()), Set.of(named.nodeName()), false).verdict();
    Map<String, Verdict> verdicts = new TreeMap<>();
    nodes
        .alive()
        .forEach(
            slot -> {
              if (!nodes.name(slot).equals(named.nodeName())) {
                verdicts.put(nodes.name(slot), verdict);
              }
            });
    return verdicts;
  }

  private @Nullable Verdict verdictOn(int slot, NodeFilter filter, String name) {
    Optional<Verdict> rejectsPod = filter.rejectsPod();
    if (rejectsPod.isPresent()) {
      return rejectsPod.get();
    }
    Optional<Set<String>> only = filter.onlyNodes();
    if (only.isPresent() && !only.get().contains(nodes.name(slot))) {
      return new NamedNodes(Set.of(name), only.get(), false).verdict();
    }
    int verdict = filter.verdictAt(slot);
    return verdict == NodeFilter.PASSES ? null : filter.verdict(verdict);
  }
}
