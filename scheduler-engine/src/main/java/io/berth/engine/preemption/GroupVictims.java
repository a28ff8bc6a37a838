package io.berth.engine.preemption;

import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.framework.Protection;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.Importance;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The pods on all nodes that may be evicted for a group. */
final class GroupVictims {
  private final ClusterState state;
  private final VictimUnits victims;
  private final PodEntry preemptor;
  private final Comparator<VictimUnit> order;
  private final Map<PodEntry, VictimUnit> units = new HashMap<>();
  private Set<PodEntry> surplus = Set.of();

  GroupVictims(
      ClusterState state,
      RefusedEvictions refused,
      PodEntry preemptor,
      PreemptionRules rules,
      Instant now) {
    this.state = state;
    this.victims = new VictimUnits(state, refused, preemptor, rules, now);
    this.preemptor = preemptor;
    this.order =
        VictimUnit.sparedFirst(
                state.evictionOrder().sparedFirst(preemptor, Importance.SPARED_FIRST))
            .thenComparing(unit -> unit.first().key());
  }

  /** Returns whether some of the units that were found are groups that go as a whole. */
  boolean hasWholeGroups() {
    return units.values().stream().anyMatch(unit -> unit.pods().size() > 1);
  }

  /**
   * Returns the reasons why pods of lower priority must not be evicted; empty if there are none.
   */
  Set<Protection> protections() {
    return victims.protections();
  }

  /** Returns the time until which the units hold, if nothing else changes. */
  Due until() {
    return victims.until();
  }

  /** Makes each pod a unit of its own. */
  void split() {
    victims.split();
    units.clear();
  }

  /** Returns the units on each node that has any, the cheapest node first. */
  List<List<VictimUnit>> byNode() {
    surplus =
        VictimUnits.surplus(
            state.groups().all().stream().flatMap(group -> group.placed().stream()).toList(),
            state);
    NodeTable nodes = state.nodes();
    boolean limited = state.evictionOrder().limitsTogether();
    Set<PodEntry> together = limited ? together() : Set.of();
    Map<Integer, List<VictimUnit>> bySlot = new HashMap<>();
    nodes
        .alive()
        .forEach(
            slot -> {
              Set<VictimUnit> here = new HashSet<>();
              for (int i = 0; i < nodes.podCount(slot); i++) {
                unitOf(nodes.pod(slot, i))
                    .filter(unit -> !limited || together.containsAll(unit.pods()))
                    .ifPresent(here::add);
              }
              if (!here.isEmpty()) {
                bySlot.put(slot, here.stream().sorted(order.reversed()).toList());
              }
            });
    return bySlot.keySet().stream()
        .sorted(
            Comparator.comparingInt((Integer slot) -> highestPriority(bySlot.get(slot)))
                .thenComparingInt(slot -> bySlot.get(slot).size())
                .thenComparing(nodes::name))
        .map(bySlot::get)
        .toList();
  }

  private static int highestPriority(List<VictimUnit> units) {
    return units.stream()
        .flatMap(unit -> unit.pods().stream())
        .mapToInt(PodEntry::priority)
        .max()
        .orElse(Integer.MIN_VALUE);
  }

  /** Returns the order in which units are spared, with a fixed order of equivalent ones. */
  Comparator<VictimUnit> order() {
    return order;
  }

  /** Returns the pods that may all be evicted together. */
  private Set<PodEntry> together() {
    List<PodEntry> all = new ArrayList<>();
    state
        .nodes()
        .forEachPod(
            pod -> {
              if (unitOf(pod).isPresent()) {
                all.add(pod);
              }
            });
    return new HashSet<>(state.evictionOrder().together(all, preemptor));
  }

  private Optional<VictimUnit> unitOf(PodEntry pod) {
    VictimUnit known = units.get(pod);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<GroupEntry> group = state.groups().of(pod);
    Optional<List<PodEntry>> pods =
        group.isPresent()
            ? victims.withGroup(pod, group.get())
            : Optional.of(List.of(pod)).filter(alone -> victims.mayGo(pod));
    Optional<VictimUnit> unit =
        pods.map(together -> new VictimUnit(together, surplus.contains(pod)));
    unit.ifPresent(found -> found.pods().forEach(each -> units.put(each, found)));
    return unit;
  }
}
