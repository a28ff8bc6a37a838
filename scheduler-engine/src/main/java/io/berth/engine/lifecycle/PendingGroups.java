package io.berth.engine.lifecycle;

import io.berth.engine.framework.Change;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.MatchPolicy;
import io.berth.engine.model.PodModel;
import io.berth.engine.preemption.Reservations;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.GroupEntry.MemberState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.SchedulingUnit;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The groups with pending pods. Until its minimum is placed, a group is one unit of the queue;
 * afterwards, each of its pods is a unit.
 */
public final class PendingGroups {
  private final ClusterState state;
  private final PendingPods pending;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final Quotas quotas;
  private final OpenGroups openGroups;
  private final AssumedPods assumed;
  private final Reservations reservations;
  private final GroupStarts starts;
  private final GroupMessages messages;
  private final InterruptedStarts interrupted;
  private final ReservationOrder turns;

  PendingGroups(
      ClusterState state,
      PendingPods pending,
      OpenGroups openGroups,
      AssumedPods assumed,
      Reservations reservations,
      GroupStarts starts,
      GroupMessages messages,
      InterruptedStarts interrupted) {
    this.state = state;
    this.pending = pending;
    this.queue = pending.queue();
    this.quotas = pending.quotas();
    this.openGroups = openGroups;
    this.assumed = assumed;
    this.reservations = reservations;
    this.starts = starts;
    this.messages = messages;
    this.interrupted = interrupted;
    this.turns = new ReservationOrder(state, starts);
  }

  /** Returns the messages for the pods of groups. */
  public GroupMessages messages() {
    return messages;
  }

  /** Returns the groups with some members on nodes, and others that do not fit. */
  public InterruptedStarts interrupted() {
    return interrupted;
  }

  /** Returns the turns in which resources are reserved for groups. */
  public ReservationOrder turns() {
    return turns;
  }

  private GroupStart startOf(GroupEntry group) {
    return starts.of(group);
  }

  // ---------------------------------------------------------------------------------- events

  /** Handles a dialect that the API server serves: its pods are members from now on. */
  public void served(GroupDialect dialect, Instant now) {
    if (!state.groups().serve(dialect)) {
      return;
    }
    for (PodEntry pod : List.copyOf(state.pods().all())) {
      if (pod.model().group().filter(it -> it.group().dialect() == dialect).isPresent()) {
        if (assumed.isPlaced(pod.key())) {
          settled(pod, now);
        } else {
          pending.leave(pod.key());
          waits(pod, List.of(), now);
        }
      }
    }
    if (quotas.areUsed()) {
      quotas.groupsChanged();
      pending.queuesChanged(now);
    }
  }

  /** Handles an object that describes a group and was created or changed. */
  public void described(GroupModel model, Instant now) {
    String queueBefore = queueOf(model.ref());
    state
        .groups()
        .put(model)
        .ifPresent(
            group -> {
              if (!model.queue().equals(queueBefore)) {
                queueChanged(group, now);
              }
              review(group, List.of(new Change.SelfChanged()), now);
            });
  }

  /** Handles a deleted object that described a group. */
  public void undescribed(GroupRef ref, Instant now) {
    String queueBefore = queueOf(ref);
    state
        .groups()
        .remove(ref)
        .ifPresent(
            group -> {
              if (!queueBefore.isEmpty()) {
                queueChanged(group, now);
              }
              review(group, queueBefore.isEmpty() ? List.of() : selfChanged(), now);
            });
  }

  private String queueOf(GroupRef ref) {
    return state.groups().find(ref).flatMap(GroupEntry::model).map(GroupModel::queue).orElse("");
  }

  private static List<Change> selfChanged() {
    return List.of(new Change.SelfChanged());
  }

  /** Counts the pods of a group in the queue that it names now. */
  private void queueChanged(GroupEntry group, Instant now) {
    group.placed().forEach(quotas::useChanged);
    group.waiting().forEach(quotas::useChanged); // those that are nominated
    if (startOf(group).isMet()) {
      List.copyOf(group.waiting()).forEach(pod -> putByItself(pod, selfChanged(), now));
    }
    if (!group.placed().isEmpty()) {
      queue.wake(new Change.QueuesChanged(), now);
    }
  }

  /**
   * Handles a PriorityClass that was created, changed or deleted: groups that reference it are
   * reordered.
   */
  public void classChanged(String name, Instant now) {
    for (GroupEntry group : List.copyOf(state.groups().all())) {
      if (group.isOfClass(name)) {
        review(group, List.of(new Change.SelfChanged()), now);
      }
    }
  }

  /** Queues a pending pod with its current state, by itself or with its group. */
  void waits(PodEntry pod, List<Change> changes, Instant now) {
    Optional<GroupEntry> group = stands(pod, now);
    if (group.isEmpty()) {
      queue.put(pod.key(), pod, pod.priority(), changes, now);
      return;
    }
    boolean wasMet = startOf(group.get()).isMet();
    List<Change> ofGroup = List.of(new Change.SelfChanged());
    boolean isNew = !changes.isEmpty() || !startOf(group.get()).message().isKnownTo(pod);
    review(group.get(), isNew ? ofGroup : List.of(), now);
    if (wasMet && startOf(group.get()).isMet()) {
      putByItself(pod, changes, now);
    }
  }

  /** Handles a pod that is assumed or bound, or has changed on its node. */
  void settled(PodEntry pod, Instant now) {
    stands(pod, now).ifPresent(group -> review(group, List.of(), now));
  }

  /** Handles a deleted or finished pod; a succeeded pod counts as placed as long as it exists. */
  void gone(PodEntry pod, Optional<PodModel> finished, Instant now) {
    Optional<GroupEntry> left = state.groups().gone(pod, finished);
    left.ifPresent(
        group -> {
          GroupStart start = startOf(group);
          start.members().forget(pod);
          start.message().forget(pod);
          if (pod.model().nodeName().isEmpty()) {
            // Resources that were reserved for the group were reserved for this pod too.
            endReservations(group);
            reportIfIncomplete(group, now);
          }
          confirmedAll(group, start);
          review(group, List.of(), now);
        });
  }

  /** Handles a finished pod that was never seen pending or running. */
  void finished(PodModel pod, Instant now) {
    state.groups().succeeded(pod).ifPresent(group -> review(group, List.of(), now));
  }

  /** Handles the deletion of a finished pod. */
  void finishedGone(String uid, Instant now) {
    state.groups().finishedGone(uid).ifPresent(group -> review(group, List.of(), now));
  }

  /** Records that the Binding of a pod, decided by a previous engine, is in progress. */
  void handedOver(PodEntry pod) {
    state.groups().of(pod).ifPresent(group -> startOf(group).members().placedTogether(pod));
  }

  /** Handles a successful Binding of a pod. */
  void confirmed(PodEntry pod) {
    state
        .groups()
        .of(pod)
        .ifPresent(
            group -> {
              GroupStart start = startOf(group);
              if (start.members().confirmed(pod)) {
                state.groups().changed(group);
                confirmedAll(group, start);
              }
            });
  }

  private void confirmedAll(GroupEntry group, GroupStart start) {
    if (start.isMet() && start.members().areConfirmed()) {
      group.rememberBound();
      quotas.requestsNoNodes(group.key());
      queue.done(group.key());
    }
  }

  /**
   * Handles the failed Binding of a pod that is already removed from its node. The other pods of
   * its group keep their nodes as long as the minimum holds.
   *
   * @param retry whether to retry it
   * @return whether the pod is a member that its group is missing now
   */
  boolean bindingFailed(PodEntry pod, boolean retry, Instant now) {
    Optional<GroupEntry> found = state.groups().of(pod);
    if (found.isEmpty()) {
      return false;
    }
    GroupEntry group = found.get();
    GroupStart start = startOf(group);
    boolean wasGivenBack = start.members().bindingFailed(pod, retry);
    stands(pod, now);
    if (group.isMet()) {
      confirmedAll(group, start);
      return false;
    }
    pending.leave(pod.key());
    boolean wasMet = start.bindingFailed();
    QueuePlace place = queue.failed(group.key(), now);
    if (!retry && !wasGivenBack) {
      interrupted.giveBack(group, "the Binding of pod " + pod.ref().name() + " has failed", now);
    }
    if (wasMet) {
      becomesOneUnit(group, now);
    }
    review(group, List.of(), now);
    if (place == QueuePlace.ABSENT) { // its attempt was over before this Binding failed
      queue.delay(group.key(), now);
    }
    return true;
  }

  /** Records that members were placed together: their Bindings are awaited together. */
  public void placed(GroupEntry group, List<PodEntry> members, Instant now) {
    GroupStart start = startOf(group);
    reservations.awaited().forget(group.key());
    reservations.rooms().end(group.ref());
    members.forEach(start.members()::placedTogether);
    start.holdsNoLonger();
    start.message().end();
  }

  // ---------------------------------------------------------------------------------- standing

  private Optional<GroupEntry> stands(PodEntry pod, Instant now) {
    MemberState standing = standingOf(pod, state.groups().of(pod).map(this::startOf));
    state
        .groups()
        .stands(pod, standing)
        .ifPresent(
            former -> {
              pending.leave(pod.key());
              review(former, List.of(), now);
            });
    return state.groups().of(pod);
  }

  private MemberState standingOf(PodEntry pod, Optional<GroupStart> start) {
    if (assumed.isPlaced(pod.key())) {
      return pod.model().terminating()
              || start.filter(it -> it.members().isGivenBack(pod)).isPresent()
          ? MemberState.LEAVING
          : countsInItsStartOnly(pod) && start.filter(it -> it.members().isOneOf(pod)).isEmpty()
              ? MemberState.BEFORE
              : MemberState.PLACED;
    }
    return pod.model().gates().isEmpty()
            && start.filter(it -> it.members().hasFailed(pod)).isEmpty()
        ? MemberState.READY
        : MemberState.UNREADY;
  }

  private static boolean countsInItsStartOnly(PodEntry pod) {
    return pod.model()
        .group()
        .flatMap(GroupMembership::declared)
        .filter(group -> group.matchPolicy() == MatchPolicy.ONLY_WAITING)
        .isPresent();
  }

  /** Handles the end of a start: all members that were placed together are bound. */
  private void startIsOver(GroupEntry group, GroupStart start) {
    group.rememberBound();
    if (!start.members().startIsOver()) {
      return;
    }
    for (PodEntry pod : List.copyOf(group.placed())) {
      if (countsInItsStartOnly(pod)) {
        state.groups().stands(pod, standingOf(pod, Optional.of(start)));
      }
    }
  }

  /**
   * Updates the queue after a change of the group: one unit for all its pods, or one for each.
   *
   * @param changes the changes of the group itself
   */
  private void review(GroupEntry group, List<Change> changes, Instant now) {
    GroupStart start = startOf(group);
    if (start.members().areConfirmed() && group.isMet()) {
      startIsOver(group, start);
    }
    boolean met = group.isMet();
    if (!changes.isEmpty() && openGroups.drop(group.key())) {
      queue.restart(group.key(), new Change.SelfChanged(), now);
    }
    if (met) {
      reservations.rooms().end(group.ref());
      if (start.met()) {
        openGroups.drop(group.key());
        if (start.members().areConfirmed()) {
          pending.leave(group.key());
        }
        List.copyOf(group.waiting()).forEach(pod -> putByItself(pod, List.of(), now));
      }
    } else {
      if (start.belowMinimum()) {
        becomesOneUnit(group, now);
      }
      putTogether(group, start, changes, now);
    }
    if (state.groups().find(group.ref()).isEmpty()) {
      starts.forget(group.ref());
    }
  }

  /** Lets the pending members, each of which was a unit of the queue, be one together. */
  private void becomesOneUnit(GroupEntry group, Instant now) {
    group.waiting().forEach(pod -> pending.leave(pod.key()));
    // Its unit may still wait for the Bindings of members of which too many are gone.
    queue.restart(group.key(), new Change.SelfChanged(), now);
  }

  private void putByItself(PodEntry pod, List<Change> changes, Instant now) {
    if (state.groups().of(pod).filter(group -> startOf(group).members().hasFailed(pod)).isEmpty()) {
      queue.put(pod.key(), pod, pod.priority(), changes, now);
    }
  }

  private void putTogether(GroupEntry group, GroupStart start, List<Change> changes, Instant now) {
    if (group.waiting().isEmpty()) {
      start.hasNoPending();
      reservations.rooms().end(group.ref());
      openGroups.drop(group.key());
      reservations.awaited().forget(group.key());
      pending.leave(group.key());
      return;
    }
    QueuePlace place = queue.put(group.key(), group, group.priority(), changes, now);
    if (place == QueuePlace.GATED) {
      messages.incomplete(start, now);
      reservations.rooms().end(group.ref());
      pending.requestsNoNodes(group.key(), now);
    } else {
      start.isComplete();
    }
  }

  /** Handles a rejected eviction of a member that was asked to release its node: it keeps it. */
  void keeps(PodEntry pod, Instant now) {
    if (state.groups().of(pod).filter(group -> startOf(group).members().keeps(pod)).isPresent()) {
      settled(pod, now);
    }
  }

  /** Ends the reservations for the pending members, and what their group waits for. */
  public void endReservations(GroupEntry group) {
    reservations.rooms().end(group.ref());
    reservations.awaited().forget(group.key());
    if (!reservations.nominations().isEmpty()) {
      group.waiting().forEach(pod -> reservations.nominations().end(pod.key()));
    }
  }

  /** Schedules the message of a group whose reservations have ended, if no attempt will say it. */
  private void reportIfIncomplete(GroupEntry group, Instant now) {
    if (group.gatedBy().isPresent()) {
      messages.incompleteAgain(startOf(group), now);
    }
  }

  /** Retries a pod at once, because its reservation has ended. */
  void retryElsewhere(String key, Instant now) {
    PodEntry pod = state.pods().byUid(key);
    Optional<GroupEntry> group =
        pod == null
            ? state.groups().all().stream().filter(it -> it.key().equals(key)).findFirst()
            : state.groups().of(pod).filter(it -> !it.isMet());
    group.ifPresent(
        waiting -> {
          endReservations(waiting);
          reportIfIncomplete(waiting, now);
        });
    queue.activate(group.map(GroupEntry::key).orElse(key), now);
  }
}
