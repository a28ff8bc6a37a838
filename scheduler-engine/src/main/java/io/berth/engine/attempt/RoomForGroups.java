package io.berth.engine.attempt;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.group.GroupMembers;
import io.berth.engine.group.GroupPlaces;
import io.berth.engine.group.GroupSearch;
import io.berth.engine.group.MemberRoom;
import io.berth.engine.lifecycle.DecidedPods;
import io.berth.engine.lifecycle.OpenGroups.Open;
import io.berth.engine.lifecycle.PendingGroups;
import io.berth.engine.lifecycle.PendingPods;
import io.berth.engine.lifecycle.PendingWork;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.lifecycle.ReservationOrder;
import io.berth.engine.lifecycle.WaitingReason;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.preemption.FutureCapacity;
import io.berth.engine.preemption.FutureCapacity.Coming;
import io.berth.engine.preemption.GroupPreemption;
import io.berth.engine.preemption.GroupReservation;
import io.berth.engine.preemption.RecentEvictions;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Resources for groups that do not fit: freed by evicting pods of lower priority, or else reserved,
 * for one group at a time, as pods end by themselves.
 */
final class RoomForGroups {
  /** The maximum number of members for which a dry run searches a node. */
  private static final int DECISIONS_IN_DRY_RUN = 4_096;

  private final ClusterState state;
  private final PendingPods pending;
  private final PendingGroups groups;
  private final DecidedPods decided;
  private final PodIntake podEvents;
  private final Reservations reservations;
  private final Cycle cycle;
  private final GroupPlaces places;
  private final GroupPreemption preemption;
  private final FutureCapacity coming;

  RoomForGroups(
      ClusterState state,
      PendingWork work,
      PodIntake podEvents,
      Reservations reservations,
      Cycle cycle,
      GroupPlaces places,
      GroupPreemption preemption) {
    this.state = state;
    this.pending = work.pods();
    this.groups = work.groups();
    this.decided = work.decided();
    this.podEvents = podEvents;
    this.reservations = reservations;
    this.cycle = cycle;
    this.places = places;
    this.preemption = preemption;
    this.coming = new FutureCapacity(state, reservations.nominations());
  }

  /** Frees resources, or lets the group wait. */
  void makeRoom(GroupLack lack, Instant now) {
    if (reservations.awaited().isWaiting(lack.group().key())) {
      reservations.awaited().triedMeanwhile(lack.group().key());
      reject(lack, Due.NEVER, now);
      return;
    }
    PreemptionRules rules = lack.members().getFirst().plan().policy().preemption();
    // All pods of one plan have the same spec.
    List<PodEntry> kinds = lack.members().stream().map(some -> some.pods().getFirst()).toList();
    if (!rules.enabled() || kinds.stream().anyMatch(pod -> pod.spec().neverPreempts())) {
      waitForRoom(lack, Due.NEVER, now);
      return;
    }
    PodEntry least = Collections.min(kinds, Comparator.comparingInt(PodEntry::priority));
    GroupPreemption.Question question =
        new GroupPreemption.Question(least, lack.needed(), rules, now);
    GroupPreemption.Result result = together(() -> preemption.tryFor(question, () -> place(lack)));
    switch (result) {
      case GroupPreemption.Impossible impossible -> {
        HeldEvictions.Wait wait =
            HeldEvictions.waitOf(
                lack.group().key(),
                RecentEvictions.causeOfWaitUntil(impossible.retryAt(), now),
                impossible.retryAt(),
                rules,
                pending.queue(),
                now);
        waitForRoom(
            (impossible.message().isEmpty() ? lack : lack.saying(impossible.message()))
                .because(wait.cause()),
            wait.retryAt(),
            now);
      }
      case GroupPreemption.Chosen chosen when rules.isDryRun() ->
          waitForRoom(
              lack.saying(
                      "preemption (dry run): there would be room without "
                          + VictimNames.inNamespace(
                              lack.group().ref().namespace(), chosen.toEvict()))
                  .reporting(wouldEvict(chosen)),
              Due.NEVER,
              now);
      case GroupPreemption.Chosen chosen -> nominated(lack, chosen, now);
    }
  }

  /**
   * Returns the evictions that the policy only reports, by the pod that they are reported for: a
   * member on the node of the victim, or else the first one.
   */
  private Map<PodEntry, Decision.WouldEvict> wouldEvict(GroupPreemption.Chosen chosen) {
    Map<Integer, PodEntry> memberOn = new HashMap<>();
    List<PodEntry> members =
        chosen.nodes().keySet().stream().sorted(Comparator.comparing(PodEntry::key)).toList();
    members.forEach(pod -> memberOn.putIfAbsent(chosen.nodes().get(pod), pod));
    Map<PodEntry, List<PodRef>> victims = new LinkedHashMap<>();
    for (PodEntry victim : chosen.toEvict()) {
      victims
          .computeIfAbsent(
              memberOn.getOrDefault(victim.slot(), members.getFirst()), pod -> new ArrayList<>())
          .add(victim.ref());
    }
    Map<PodEntry, Decision.WouldEvict> reports = new HashMap<>();
    victims.forEach(
        (pod, refs) ->
            reports.put(
                pod, new Decision.WouldEvict(state.nodes().name(chosen.nodes().get(pod)), refs)));
    return reports;
  }

  /** Runs a search with members that are placed and checked together. */
  private <R> R together(Supplier<R> search) {
    return state.cards().table().together(search, state.nodes().capacityLog()::add);
  }

  /** Returns members with the same plan, and the current room for them. */
  GroupMembers membersOf(GroupEntry group, ShapePlan plan, List<PodEntry> pods) {
    return new GroupMembers(
        plan, MemberRoom.of(plan, pods, group, state, reservations.nominations()), pods);
  }

  /** Places all missing members in the current state; empty if that is not possible. */
  private List<GroupPreemption.Placement> place(GroupLack lack) {
    List<GroupMembers> members =
        GroupMembers.fewestNodesFirst(
            lack.members().stream()
                .map(some -> membersOf(lack.group(), some.plan(), some.pods()))
                .toList());
    if (GroupMembers.fitting(members) < lack.needed()) {
      return List.of();
    }
    GroupEntry group = lack.group();
    GroupSearch.Result result =
        new GroupSearch()
            .step(group, members, places.of(group, members), cycle, state, DECISIONS_IN_DRY_RUN);
    if (!(result instanceof GroupSearch.Placed placed)) {
      return List.of();
    }
    Map<PodEntry, ShapePlan> plans = new HashMap<>();
    members.forEach(some -> some.pods().forEach(pod -> plans.put(pod, some.plan())));
    return placed.members().stream()
        .map(
            member ->
                new GroupPreemption.Placement(
                    member.pod(), Objects.requireNonNull(plans.get(member.pod()))))
        .toList();
  }

  /** Nominates the members for the nodes on which they will fit after the victims are gone. */
  private void nominated(GroupLack lack, GroupPreemption.Chosen chosen, Instant now) {
    GroupEntry group = lack.group();
    groups.endReservations(group);
    pending.quotas().requestsNoNodes(group.key()); // what is nominated counts as use
    preemption.evicted(chosen, now);
    chosen.toEvict().forEach(victim -> state.choose(victim, true));
    List<PodRef> victims = new ArrayList<>(chosen.toEvict().stream().map(PodEntry::ref).toList());
    String message =
        BoundedText.cut(
            lack.why().message() + ". preemption: waiting for the victims to terminate");
    for (PodEntry pod : group.waiting()) {
      Integer slot = chosen.nodes().get(pod);
      if (slot == null) {
        continue;
      }
      String nodeName = state.nodes().name(slot);
      List<PodRef> yielding = podEvents.yieldTo(pod, nodeName, now);
      reservations.nominations().nominate(pod.key(), nodeName);
      podEvents.announced(pod, nodeName);
      ShapePlan plan = lack.members().getFirst().plan();
      CycleRecord record =
          new CycleRecord.OfGroup(
              group.ref().toString(),
              lack.why()
                  .rejected()
                  .orElseGet(
                      () ->
                          new CycleRecord.Untried(
                              plan.policy().name(),
                              plan.policy().revision(),
                              state.nodes().size(),
                              message)),
              message);
      // The first member names all victims, because they are evicted for the group, not for one of
      // its pods.
      decided.add(
          new Decision.Nominated(
              pod.ref(), lack.open().attempt(), nodeName, victims, yielding, message, record));
      victims = List.of();
    }
    groups.messages().awaitsVictims(group, message);
    reservations
        .awaited()
        .await(group.key(), chosen.victims().stream().map(PodEntry::key).toList());
    pending.queue().rejected(group.key(), lack.plugins(), now);
  }

  // ---------------------------------------------------------------------------------- reservations

  /**
   * Lets the group wait until pods end. If it is the group's turn, the resources that they free are
   * reserved for it.
   *
   * @param retryAt the time to retry even without an event
   */
  private void waitForRoom(GroupLack lack, Due retryAt, Instant now) {
    GroupEntry group = lack.group();
    GroupReservation rooms = reservations.rooms();
    ReservationOrder turns = groups.turns();
    Due due = turns.dueOf(group, now);
    if (rooms.isHeldBy(group.ref()) && !rooms.until().isReached(now)) {
      reject(reserved(lack, rooms.current().orElseThrow()), rooms.until(), now);
      return;
    }
    boolean hadTurn = rooms.isHeldBy(group.ref());
    groups.endReservations(group);
    if (hadTurn) {
      due = turns.over(group, now);
    }
    if (!due.isReached(now)) {
      reject(lack, due.orEarlier(retryAt), now);
      return;
    }
    if (!mayReserve(group, now)) {
      Due next =
          rooms.current().isPresent() ? rooms.until() : Due.at(now.plus(ReservationOrder.WAIT));
      reject(lack, next.orEarlier(retryAt), now);
      return;
    }
    Optional<Coming> found = together(() -> coming.find(lack.needed(), () -> place(lack), now));
    if (found.isEmpty()) {
      reject(lack, turns.over(group, now).orEarlier(retryAt), now);
      return;
    }
    reservation(group, found.get(), now);
    reject(reserved(lack, rooms.current().orElseThrow()), rooms.until(), now);
  }

  /** Returns whether it is the group's turn, and no group that it does not outrank has one. */
  private boolean mayReserve(GroupEntry group, Instant now) {
    return reservations
            .rooms()
            .current()
            .flatMap(reserved -> state.groups().find(reserved.group()))
            .filter(other -> !state.evictionOrder().outranks(group, other))
            .isEmpty()
        && groups.turns().isFirst(group, now);
  }

  private void reservation(GroupEntry group, Coming found, Instant now) {
    Map<String, String> nodeOf = new LinkedHashMap<>();
    for (PodEntry pod : group.waiting()) {
      Integer slot = found.nodes().get(pod);
      if (slot != null) {
        nodeOf.put(pod.key(), state.nodes().name(slot));
      }
    }
    reservations
        .rooms()
        .current()
        .flatMap(other -> state.groups().find(other.group()))
        .ifPresent(other -> groups.endReservations(other));
    GroupReservation.Reservation reservation =
        new GroupReservation.Reservation(
            group.ref(),
            found.start(),
            group.model().map(GroupModel::timeout).orElse(GroupModel.DEFAULT_TIMEOUT));
    reservations.rooms().make(reservation, nodeOf, now);
    groups.turns().begun(group, now);
  }

  private static GroupLack reserved(GroupLack lack, GroupReservation.Reservation reservation) {
    return lack.saying(
            "It is promised the resources of other pods when they end, from "
                + reservation.start().truncatedTo(ChronoUnit.SECONDS)
                + " on")
        .because(WaitCause.NO_ROOM);
  }

  // ---------------------------------------------------------------------------------- rejection

  /**
   * Rejects a group that cannot be tried, without a reservation.
   *
   * @param plugins the plugins that rejected it
   */
  void rejectUntried(Open open, WaitCause cause, String message, Set<String> plugins, Instant now) {
    groups.endReservations(open.group());
    reject(open, WaitingReason.of(cause, message), plugins, Due.NEVER, now);
  }

  /**
   * Lets the group wait until more is free than its pods request; events of other pods may not
   * indicate that.
   */
  void awaitResources(GroupLack lack, Instant now) {
    groups.endReservations(lack.group());
    reject(lack, Due.at(now.plus(ReservationOrder.WAIT)), now);
  }

  private void reject(GroupLack lack, Due retryAt, Instant now) {
    reject(lack.open(), lack.why(), lack.plugins(), retryAt, now);
  }

  /**
   * Ends the attempt without a placement.
   *
   * @param roomAt the time to retry even without an event
   */
  private void reject(Open open, WaitingReason why, Set<String> plugins, Due roomAt, Instant now) {
    GroupEntry group = open.group();
    Due retryAt = roomAt.orEarlier(groups.interrupted().foundNoRoom(group, now));
    WaitingReason reason =
        pending
            .rejected(group, why.cause(), plugins, retryAt, now)
            .map(held -> why.because(WaitCause.HELD_BY_QUEUE).saying(held))
            .orElse(why);
    groups.messages().tell(group, open.attempt(), reason);
  }
}
