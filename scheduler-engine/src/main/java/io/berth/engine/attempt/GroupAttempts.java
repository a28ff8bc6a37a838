package io.berth.engine.attempt;

import io.berth.engine.api.Decision;
import io.berth.engine.api.TogetherStep;
import io.berth.engine.api.WaitCause;
import io.berth.engine.cycle.Cycle;
import io.berth.engine.cycle.ShapePlan;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.group.GroupMembers;
import io.berth.engine.group.GroupNeeds;
import io.berth.engine.group.GroupPlace;
import io.berth.engine.group.GroupPlaces;
import io.berth.engine.group.GroupSearch;
import io.berth.engine.group.TooLargeMembers;
import io.berth.engine.group.TooLargeTogether;
import io.berth.engine.lifecycle.OpenGroups.Open;
import io.berth.engine.lifecycle.OwnRule;
import io.berth.engine.lifecycle.PendingWork;
import io.berth.engine.lifecycle.PodIntake;
import io.berth.engine.lifecycle.WaitingReason;
import io.berth.engine.preemption.GroupPreemption;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Attempts for groups: either all missing members are placed, or none.
 *
 * <p>An attempt first counts the members that each node can take, and rejects a group that cannot
 * fit without placing any. Then it places the members one after the other, grouped by shape. One
 * step searches nodes for a limited number of members; the attempt for a larger group is suspended
 * after each step, and holds no resources in between.
 */
final class GroupAttempts {
  /** The maximum number of members for which one step searches a node. */
  private static final int DECISIONS_PER_STEP = 512;

  private final ClusterState state;
  private final PendingWork work;
  private final Quotas quotas;
  private final PodIntake podEvents;
  private final PodPlans plans;
  private final Cycle cycle;
  private final GroupPlaces places;
  private final RoomForGroups room;

  GroupAttempts(
      ClusterState state,
      PendingWork work,
      PodIntake podEvents,
      Reservations reservations,
      PodPlans plans,
      Cycle cycle,
      GroupPreemption preemption) {
    this.state = state;
    this.work = work;
    this.quotas = work.pods().quotas();
    this.podEvents = podEvents;
    this.plans = plans;
    this.cycle = cycle;
    this.places = new GroupPlaces(state);
    this.room = new RoomForGroups(state, work, podEvents, reservations, cycle, places, preemption);
  }

  /** Runs one step of an attempt, which then has ended or waits for its next step. */
  void step(Open open, Instant now) {
    GroupEntry group = open.group();
    Optional<String> gated = group.gatedBy();
    if (gated.isPresent()) {
      room.rejectUntried(
          open, WaitCause.GROUP_INCOMPLETE, gated.get(), Set.of(GroupSearch.PLUGIN), now);
      return;
    }
    Optional<String> held = quotas.heldBy(group);
    if (held.isPresent()) {
      room.rejectUntried(
          open,
          WaitCause.HELD_BY_QUEUE,
          "%s cannot be placed: %s".formatted(group.ref(), held.get()),
          Set.of(Quotas.PLUGIN, GroupSearch.PLUGIN),
          now);
      return;
    }
    Map<ShapePlan, List<PodEntry>> byPlan = new LinkedHashMap<>();
    Optional<PodPlans.Untried> untried = Optional.empty();
    for (List<PodEntry> alike : group.ready()) {
      switch (planOf(alike.getFirst())) {
        case PodPlans.Ready ready ->
            byPlan.computeIfAbsent(ready.plan(), absent -> new ArrayList<>()).addAll(alike);
        case PodPlans.Untried why -> untried = untried.or(() -> Optional.of(why));
      }
    }
    int needed = GroupNeeds.of(group).left();
    int there = byPlan.values().stream().mapToInt(List::size).sum();
    if (there < needed && untried.isPresent()) {
      room.rejectUntried(
          open,
          PodPlans.causeOf(untried.get().rule()),
          "%s cannot be placed: %s".formatted(group.ref(), untried.get().message()),
          both(untried.get().rule().label(), GroupSearch.PLUGIN),
          now);
      return;
    }
    List<GroupMembers> members = new ArrayList<>();
    byPlan.forEach((shape, pods) -> members.add(room.membersOf(group, shape, pods)));
    search(open, GroupMembers.fewestNodesFirst(members), needed, now);
  }

  private static Set<String> both(String plugin, String other) {
    Set<String> plugins = new HashSet<>();
    plugins.add(plugin);
    plugins.add(other); // may be the same
    return plugins;
  }

  /**
   * Returns the plan of the pod. Pods whose policy requires advice have none, because groups do not
   * support it.
   */
  private PodPlans.Result planOf(PodEntry pod) {
    PodPlans.Result result = plans.of(pod);
    if (result instanceof PodPlans.Ready ready) {
      return ready
          .plan()
          .policy()
          .consultation()
          .flatMap(asked -> asked.forShape(ready.plan().shape()))
          .<PodPlans.Result>map(
              asked ->
                  new PodPlans.Untried(
                      OwnRule.GROUP,
                      ready.plan().policy().name(),
                      ready.plan().policy().revision(),
                      "SchedulingPolicy \"%s\" asks %s for advice, which is not possible for pods that are placed together: use a policy without extenders"
                          .formatted(ready.plan().policy().name(), asked.name())))
          .orElse(result);
    }
    return result;
  }

  private void search(Open open, List<GroupMembers> members, int needed, Instant now) {
    GroupEntry group = open.group();
    Optional<MinResources> lacking = MinResources.lacking(group, state);
    if (lacking.isPresent()) {
      refuse(open, members, needed, lacking.get(), now);
      return;
    }
    int fitting = GroupMembers.fitting(members);
    if (fitting < needed) {
      WaitingReason why =
          withSizes(
              withReason(
                  noRoom(group, needed, fitting, "the nodes have room for"), fitsNowhere(members)),
              group,
              members);
      room.makeRoom(new GroupLack(open, members, needed, why, all(members)), now);
      return;
    }
    List<GroupPlace> where = places.of(group, members);
    if (where.isEmpty()) {
      String key = group.model().flatMap(model -> model.topology()).orElseThrow().key();
      String message =
          "%s cannot be placed: no value of %s has nodes with room for %d of its pods together"
              .formatted(group.ref(), key, needed);
      WaitingReason why = withSizes(WaitingReason.of(WaitCause.NO_ROOM, message), group, members);
      room.makeRoom(new GroupLack(open, members, needed, why, all(members)), now);
      return;
    }
    switch (open.search().step(group, members, where, cycle, state, DECISIONS_PER_STEP)) {
      case GroupSearch.Unfinished unfinished -> work.openGroups().add(open);
      case GroupSearch.Placed placed -> placed(open, placed, now);
      case GroupSearch.NoRoom noRoom -> {
        WaitingReason why =
            withSizes(
                withReason(
                    noRoom(group, needed, noRoom.placed(), "there is room for"), noRoom.pod()),
                group,
                members);
        Set<String> plugins = all(members);
        plugins.addAll(GroupSearch.rejectedBy(noRoom));
        room.makeRoom(new GroupLack(open, members, needed, why, plugins), now);
      }
    }
  }

  /**
   * Rejects the group until its {@code minResources} are free. Victims are searched only if the
   * requests of its pods cover these amounts; otherwise pods could be evicted although the group
   * would be rejected again.
   */
  private void refuse(
      Open open, List<GroupMembers> members, int needed, MinResources lacking, Instant now) {
    String message = open.group().ref() + " cannot be placed: " + lacking.text();
    WaitingReason why = WaitingReason.of(WaitCause.NO_ROOM, message);
    GroupLack lack = new GroupLack(open, members, needed, why, all(members));
    if (lacking.isCoveredBy(members, needed, open.group())) {
      room.makeRoom(lack, now);
    } else {
      room.awaitResources(lack, now);
    }
  }

  /**
   * Returns a member that fits on no node, with the reasons of the nodes; empty if there is none.
   */
  private Optional<GroupSearch.Unplaced> fitsNowhere(List<GroupMembers> members) {
    for (GroupMembers some : members) {
      PodEntry pod = some.pods().getFirst();
      if (some.room().nodes() == 0
          && cycle.run(pod, some.plan()) instanceof Cycle.NotFound notFound) {
        return Optional.of(new GroupSearch.Unplaced(pod, notFound));
      }
    }
    return Optional.empty();
  }

  private WaitingReason withReason(String message, Optional<GroupSearch.Unplaced> unplaced) {
    Optional<CycleRecord> record =
        unplaced.map(member -> member.why().record(state.census(), List.of(), ""));
    String text =
        record.isEmpty()
            ? message
            : "%s; not for %s: %s"
                .formatted(
                    message, unplaced.get().pod().ref().name(), withoutEnd(record.get().message()));
    return new WaitingReason(WaitCause.NO_ROOM, text, Map.of(), record);
  }

  private WaitingReason withSizes(WaitingReason why, GroupEntry group, List<GroupMembers> members) {
    return TooLargeMembers.text(group, members, state)
        .or(() -> TooLargeTogether.text(group, members, state))
        .map(why::saying)
        .orElse(why);
  }

  /** Returns a sentence without its full stop, because more follows. */
  private static String withoutEnd(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  private static String noRoom(GroupEntry group, int needed, int fitting, String what) {
    return group.ref()
        + " cannot be placed: "
        + needed
        + " of its pods have to be placed together, and "
        + what
        + " "
        + fitting;
  }

  /**
   * Returns the names of all filters, because any change that they handle may make the group fit.
   */
  private static Set<String> all(List<GroupMembers> members) {
    Set<String> names = new HashSet<>();
    names.add(GroupSearch.PLUGIN);
    members.forEach(some -> names.addAll(some.plan().filterNames()));
    return names;
  }

  private void placed(Open open, GroupSearch.Placed placed, Instant now) {
    // Their use takes the place of the request.
    quotas.requestsNoNodes(open.group().key());
    work.groups()
        .placed(open.group(), placed.members().stream().map(GroupSearch.Member::pod).toList(), now);
    List<Decision.Placed> decisions = new ArrayList<>();
    for (GroupSearch.Member member : placed.members()) {
      PodEntry pod = member.pod();
      work.pods().queue().placedWithOthers(pod.key(), pod, pod.priority(), now);
      podEvents.assumed(pod, now);
      CycleRecord record =
          new CycleRecord.OfGroup(
              open.group().ref().toString(), member.record(), member.record().message());
      decisions.add(Placements.of(pod, open.attempt(), state, Optional.empty(), record));
    }
    for (Decision.Placed decision : preparedTogether(decisions, now)) {
      PodEntry pod = state.pods().byUid(decision.pod().uid());
      work.decided().add(podEvents.announced(pod, decision));
    }
  }

  /**
   * Adds a step to all decisions if any pod has volumes to prepare, so that none is bound before
   * that.
   */
  private static List<Decision.Placed> preparedTogether(
      List<Decision.Placed> decisions, Instant now) {
    if (decisions.size() < 2
        || decisions.stream().allMatch(decision -> decision.preBind().isEmpty())) {
      return decisions;
    }
    TogetherStep step =
        new TogetherStep(
            decisions.getFirst().pod().uid() + " at " + now,
            decisions.stream().map(Decision.Placed::pod).toList());
    return decisions.stream().map(decision -> decision.after(step)).toList();
  }
}
