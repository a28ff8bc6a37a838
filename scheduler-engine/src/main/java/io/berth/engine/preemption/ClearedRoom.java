package io.berth.engine.preemption;

import io.berth.engine.cycle.NominatedPods;
import io.berth.engine.framework.NodeFilter;
import io.berth.engine.journal.Journal;
import io.berth.engine.preemption.GroupPreemption.Placement;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The room after some pods have been removed: a dry run within a savepoint. Pods are removed, the
 * members of a group are placed, and pods are put back as long as the members still fit.
 */
final class ClearedRoom {
  private final ClusterState state;
  private final Nominations nominations;
  private final Map<PodEntry, Integer> before = new HashMap<>();
  private Map<Integer, List<Placement>> members = Map.of();

  ClearedRoom(ClusterState state, Nominations nominations) {
    this.state = state;
    this.nominations = nominations;
  }

  void takeOff(PodEntry pod) {
    if (pod.slot() != PodEntry.NOWHERE) {
      before.putIfAbsent(pod, pod.slot());
      state.evictInDryRun(pod);
    }
  }

  /** Records the members that were placed. */
  void placed(List<Placement> placements) {
    members = new HashMap<>();
    placements.forEach(
        member ->
            members.computeIfAbsent(member.pod().slot(), slot -> new ArrayList<>()).add(member));
  }

  /** Puts pods back on their nodes if the members still fit then; returns whether they do. */
  boolean putBack(List<PodEntry> pods) {
    pods.forEach(pod -> state.place(pod, before.get(pod)));
    if (!doMembersFitBeside(pods)) {
      pods.forEach(this::takeOff);
      return false;
    }
    return true;
  }

  private boolean doMembersFitBeside(List<PodEntry> pods) {
    for (PodEntry pod : pods) {
      for (Placement member : members.getOrDefault(pod.slot(), List.of())) {
        if (member.pod().spec().devices().isEmpty() && !stillFits(member)) {
          return false;
        }
      }
    }
    Set<Integer> slots = new LinkedHashSet<>();
    for (PodEntry pod : pods) {
      if (state.devices().holdsReleasable(pod.ref().uid())) {
        slots.addAll(members.keySet()); // Several nodes may reach the devices.
      } else {
        slots.add(pod.slot());
      }
    }
    return findDevicesAgain(
        slots.stream()
            .flatMap(slot -> members.getOrDefault(slot, List.of()).stream())
            .filter(member -> !member.pod().spec().devices().isEmpty())
            .toList());
  }

  /**
   * Places the members again, each with devices that are free now; returns whether all of them fit,
   * and changes nothing otherwise.
   */
  private boolean findDevicesAgain(List<Placement> again) {
    Map<Placement, Integer> slots = new HashMap<>();
    Journal.Savepoint point = state.journal().savepoint();
    for (Placement member : again) {
      slots.put(member, member.pod().slot());
      state.displace(member.pod());
    }
    for (Placement member : again) {
      int slot = slots.get(member);
      if (!fits(member, slot)) {
        state.journal().rollback(point);
        return false;
      }
      state.assume(member.pod(), slot);
    }
    state.journal().keep(point);
    return true;
  }

  /** Returns whether a member still fits together with the pods that are nominated for its node. */
  private boolean stillFits(Placement member) {
    int slot = member.pod().slot();
    Journal.Savepoint point = state.journal().savepoint();
    try {
      state.takeOff(member.pod());
      return fits(member, slot);
    } finally {
      state.journal().rollback(point);
    }
  }

  /** Returns whether a pod that is not placed fits, also beside the pods that are nominated. */
  private boolean fits(Placement member, int slot) {
    if (!passes(member, slot)) {
      return false;
    }
    Journal.Savepoint point = state.journal().savepoint();
    try {
      NominatedPods.notOutrankedBy(member.pod(), state.nodes().name(slot), state, nominations)
          .forEach(pod -> state.place(pod, slot));
      return passes(member, slot);
    } finally {
      state.journal().rollback(point);
    }
  }

  private static boolean passes(Placement member, int slot) {
    for (NodeFilter filter : member.plan().filters()) {
      if (filter.evaluate(slot) != NodeFilter.PASSES) {
        return false;
      }
    }
    return true;
  }
}
