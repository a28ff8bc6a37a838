package io.berth.engine.preemption;

import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The pods that may be evicted for a group, in units that go together: a pod, or all pods of a
 * group that is disrupted as a whole.
 */
final class GroupVictims {
  /** Pods that are evicted together or not at all. */
  record VictimUnit(List<PodEntry> pods, boolean surplus) {
    PodEntry first() {
      return pods.getFirst();
    }
  }

  private final ClusterState state;
  private final RefusedEvictions refused;
  private final PodEntry preemptor;
  private final PreemptionRules rules;
  private final Instant now;
  private final Map<PodEntry, VictimUnit> units = new HashMap<>();
  private final Set<PodEntry> surplus = new HashSet<>();

  GroupVictims(
      ClusterState state,
      RefusedEvictions refused,
      PodEntry preemptor,
      PreemptionRules rules,
      Instant now) {
    this.state = state;
    this.refused = refused;
    this.preemptor = preemptor;
    this.rules = rules;
    this.now = now;
  }

  /** Returns the units on each node that has some, the cheapest node first. */
  List<List<VictimUnit>> byNode() {
    findSurplus();
    NodeTable nodes = state.nodes();
    Map<Integer, List<VictimUnit>> bySlot = new TreeMap<>();
    nodes
        .alive()
        .forEach(
            slot -> {
              Set<VictimUnit> here = new HashSet<>();
              for (int i = 0; i < nodes.podCount(slot); i++) {
                unitOf(nodes.pod(slot, i)).ifPresent(here::add);
              }
              if (!here.isEmpty()) {
                bySlot.put(slot, here.stream().sorted(SPARED_FIRST.reversed()).toList());
              }
            });
    List<List<VictimUnit>> order = new ArrayList<>(bySlot.values());
    order.sort(Comparator.comparingInt(GroupVictims::highestPriority).thenComparingInt(List::size));
    return order;
  }

  private static int highestPriority(List<VictimUnit> units) {
    return units.stream()
        .flatMap(unit -> unit.pods().stream())
        .mapToInt(PodEntry::priority)
        .max()
        .orElse(Integer.MIN_VALUE);
  }

  /** Pods above their group's minimum go first; then by importance. */
  static final Comparator<VictimUnit> SPARED_FIRST =
      Comparator.comparing(VictimUnit::surplus)
          .thenComparing(VictimUnit::first, Importance.SPARED_FIRST)
          .thenComparing(unit -> unit.first().key());

  private Optional<VictimUnit> unitOf(PodEntry pod) {
    VictimUnit known = units.get(pod);
    if (known != null) {
      return Optional.of(known);
    }
    if (!mayGo(pod)) {
      return Optional.empty();
    }
    Optional<GroupEntry> whole =
        state
            .groups()
            .of(pod)
            .filter(
                group ->
                    group.model().map(GroupModel::disruption).orElse(GroupDisruption.POD)
                        == GroupDisruption.GROUP);
    List<PodEntry> pods =
        whole
            .map(
                group ->
                    group.placed().stream()
                        .filter(member -> member.slot() != PodEntry.NOWHERE)
                        .sorted(Importance.SPARED_FIRST)
                        .toList())
            .orElse(List.of(pod));
    if (!pods.contains(pod) || !pods.stream().allMatch(this::mayGo)) {
      return Optional.empty();
    }
    VictimUnit unit = new VictimUnit(pods, surplus.contains(pod));
    pods.forEach(each -> units.put(each, unit));
    return Optional.of(unit);
  }

  private boolean mayGo(PodEntry pod) {
    return rules.mayEvict(pod, preemptor, now).granted()
        && !refused.isRefused(pod)
        && !state.priorityClasses().protects(pod, preemptor.priority());
  }

  /** Of each group the least important pods above the minimum. */
  private void findSurplus() {
    for (GroupEntry group : state.groups().all()) {
      int above = group.held() - group.model().map(GroupModel::minMember).orElse(0);
      if (above > 0 && group.model().isPresent() && group.model().get().minMember() > 0) {
        group.placed().stream()
            .sorted(Importance.SPARED_FIRST.reversed())
            .limit(above)
            .forEach(surplus::add);
      }
    }
  }
}
