package io.berth.engine.lifecycle;

import io.berth.engine.Attempt;
import io.berth.engine.BoundedText;
import io.berth.engine.Decision;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.framework.Change;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.policy.ServedPolicies;
import io.berth.engine.preemption.Promises;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.GroupEntry.Standing;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import io.berth.engine.state.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The groups with pods that wait. Until a group's minimum is placed, the group is one unit of the
 * queue; from then on its pods are units of their own.
 */
public final class PendingGroups implements Timer {
  /** How long a group may be incomplete before its pods say so: most pods come together. */
  private static final Duration BEFORE_REPORT = Duration.ofSeconds(2);

  private final ClusterState state;
  private final ServedPolicies policies;
  private final PendingPods pending;
  private final Promises promises;
  private final Map<GroupRef, GroupStart> starts = new HashMap<>();
  private Instant due = Instant.MAX;

  PendingGroups(
      ClusterState state, ServedPolicies policies, PendingPods pending, Promises promises) {
    this.state = state;
    this.policies = policies;
    this.pending = pending;
    this.promises = promises;
  }

  private GroupStart startOf(GroupEntry group) {
    return starts.computeIfAbsent(group.ref(), ref -> new GroupStart());
  }

  // ---------------------------------------------------------------------------------- events

  /** The API server serves the objects of a dialect: from now on its pods are members. */
  public void served(GroupDialect dialect, Instant now) {
    if (!state.groups().serve(dialect)) {
      return;
    }
    for (PodEntry pod : List.copyOf(state.pods().all())) {
      if (pod.model().group().filter(it -> it.group().dialect() == dialect).isPresent()) {
        if (pending.isPlaced(pod.key())) {
          settled(pod, now);
        } else {
          pending.leave(pod.key());
          waits(pod, List.of(), now);
        }
      }
    }
  }

  /** An object that describes a group came or changed. */
  public void described(GroupModel model, Instant now) {
    GroupEntry group = state.groups().put(model);
    review(group, List.of(new Change.SelfChanged()), now);
  }

  /** The object that described a group is gone. */
  public void undescribed(GroupRef ref, Instant now) {
    state.groups().remove(ref).ifPresent(group -> review(group, List.of(), now));
  }

  /** A pod waits, as it is now: by itself, or with its group. */
  void waits(PodEntry pod, List<Change> changes, Instant now) {
    Optional<GroupEntry> group = stands(pod, now);
    if (group.isEmpty()) {
      pending.queue().put(pod.key(), pod, pod.priority(), changes, now);
      return;
    }
    boolean wasOrdinary = startOf(group.get()).ordinary;
    List<Change> ofGroup = List.of(new Change.SelfChanged());
    boolean isNew = !changes.isEmpty() || !startOf(group.get()).informed.contains(pod.key());
    review(group.get(), isNew ? ofGroup : List.of(), now);
    if (wasOrdinary && startOf(group.get()).ordinary) {
      putByItself(pod, changes, now);
    }
  }

  /** A pod is assumed, bound, or changed where it is. */
  void settled(PodEntry pod, Instant now) {
    stands(pod, now).ifPresent(group -> review(group, List.of(), now));
  }

  /** A pod is gone; if it has finished well it counts as placed for as long as it is there. */
  void gone(PodEntry pod, Optional<PodModel> finished, Instant now) {
    Optional<GroupEntry> left = state.groups().gone(pod, finished);
    left.ifPresent(
        group -> {
          GroupStart start = startOf(group);
          start.unconfirmed.remove(pod.key());
          start.givenBack.remove(pod.key());
          start.failed.remove(pod.key());
          start.informed.remove(pod.key());
          if (pod.model().nodeName().isEmpty()) {
            // What was promised to the group was promised to this pod too.
            endPromises(group);
          }
          confirmedAll(group, start);
          review(group, List.of(), now);
        });
  }

  /** A pod that was never known to wait or run here has finished. */
  void finished(PodModel pod, Instant now) {
    state.groups().succeeded(pod).ifPresent(group -> review(group, List.of(), now));
  }

  /** A pod that had finished is gone. */
  void finishedGone(String uid, Instant now) {
    state.groups().finishedGone(uid).ifPresent(group -> review(group, List.of(), now));
  }

  /** The Binding of a pod was made. */
  void confirmed(PodEntry pod) {
    state
        .groups()
        .of(pod)
        .ifPresent(
            group -> {
              GroupStart start = startOf(group);
              if (start.unconfirmed.remove(pod.key())) {
                confirmedAll(group, start);
              }
            });
  }

  private void confirmedAll(GroupEntry group, GroupStart start) {
    if (start.ordinary && start.unconfirmed.isEmpty()) {
      pending.queue().done(group.key());
    }
  }

  /**
   * The Binding of a pod failed, which counts nowhere any more. Its group's other pods stay where
   * they are as long as the minimum holds.
   *
   * @param retry whether it is to be tried again
   * @return whether the pod belongs to a group that lacks it
   */
  boolean bindingFailed(PodEntry pod, boolean retry, Instant now) {
    Optional<GroupEntry> found = state.groups().of(pod);
    if (found.isEmpty()) {
      return false;
    }
    GroupEntry group = found.get();
    GroupStart start = startOf(group);
    start.unconfirmed.remove(pod.key());
    boolean wasGivenBack = start.givenBack.remove(pod.key());
    if (!retry) {
      start.failed.add(pod.key());
    }
    stands(pod, now);
    if (group.isMet()) {
      confirmedAll(group, start);
      return false;
    }
    pending.leave(pod.key());
    start.interrupted = true;
    pending.queue().failed(group.key(), now);
    if (!retry && !wasGivenBack) {
      giveBack(group, "the Binding of pod " + pod.ref().name() + " has failed", now);
    }
    review(group, List.of(), now);
    return true;
  }

  /** Members that are placed together now: their Bindings are awaited together. */
  public void placed(GroupEntry group, List<PodEntry> members) {
    GroupStart start = startOf(group);
    promises.awaited().forget(group.key());
    members.forEach(pod -> start.unconfirmed.add(pod.key()));
    start.interrupted = false;
    start.incompleteSince = Instant.MAX;
    start.message = "";
    start.informed.clear();
  }

  // ---------------------------------------------------------------------------------- standing

  private Optional<GroupEntry> stands(PodEntry pod, Instant now) {
    GroupStart start = state.groups().of(pod).map(this::startOf).orElseGet(GroupStart::new);
    state
        .groups()
        .stands(pod, standingOf(pod, start))
        .ifPresent(
            former -> {
              pending.leave(pod.key());
              review(former, List.of(), now);
            });
    return state.groups().of(pod);
  }

  private Standing standingOf(PodEntry pod, GroupStart start) {
    if (pending.isPlaced(pod.key())) {
      return pod.model().terminating() || start.givenBack.contains(pod.key())
          ? Standing.LEAVING
          : Standing.PLACED;
    }
    return pod.model().gates().isEmpty() && !start.failed.contains(pod.key())
        ? Standing.READY
        : Standing.UNREADY;
  }

  /**
   * Brings the queue in line with the group: one unit for all its pods, or one for each.
   *
   * @param changes what changed in the group itself
   */
  private void review(GroupEntry group, List<Change> changes, Instant now) {
    GroupStart start = startOf(group);
    boolean met = group.isMet();
    if (!changes.isEmpty() && pending.openGroups().drop(group.key())) {
      pending.queue().restart(group.key(), new Change.SelfChanged(), now);
    }
    if (met) {
      start.reportDue = Instant.MAX;
      start.incompleteSince = Instant.MAX;
      if (!start.ordinary) {
        start.ordinary = true;
        pending.openGroups().drop(group.key());
        if (start.unconfirmed.isEmpty()) {
          pending.queue().remove(group.key());
        }
        List.copyOf(group.waiting()).forEach(pod -> putByItself(pod, List.of(), now));
      }
    } else {
      if (start.ordinary) {
        start.ordinary = false;
        group.waiting().forEach(pod -> pending.leave(pod.key()));
      }
      putTogether(group, start, changes, now);
    }
    if (state.groups().find(group.ref()).isEmpty()) {
      starts.remove(group.ref());
    }
  }

  private void putByItself(PodEntry pod, List<Change> changes, Instant now) {
    if (!startOf(pod).failed.contains(pod.key())) {
      pending.queue().put(pod.key(), pod, pod.priority(), changes, now);
    }
  }

  private GroupStart startOf(PodEntry pod) {
    return state.groups().of(pod).map(this::startOf).orElseGet(GroupStart::new);
  }

  private void putTogether(GroupEntry group, GroupStart start, List<Change> changes, Instant now) {
    if (group.waiting().isEmpty()) {
      pending.openGroups().drop(group.key());
      promises.awaited().forget(group.key());
      pending.queue().remove(group.key());
      start.reportDue = Instant.MAX;
      return;
    }
    QueuePlace place = pending.queue().put(group.key(), group, group.priority(), changes, now);
    if (place != QueuePlace.GATED) {
      start.reportDue = Instant.MAX;
    } else if (start.reportDue.equals(Instant.MAX)) {
      start.reportDue = now.plus(BEFORE_REPORT);
      due = Timers.earlier(start.reportDue, due);
    }
  }

  // ---------------------------------------------------------------------------------- failures

  /**
   * The missing members of a group find no room.
   *
   * @return when to try again though no event helps, and give back what the group holds; {@link
   *     Instant#MAX} where it holds nothing that it may keep for a time only
   */
  public Instant foundNoRoom(GroupEntry group, Instant now) {
    GroupStart start = startOf(group);
    Optional<GroupModel> model = group.model();
    if (group.placed().isEmpty() || model.isEmpty()) {
      return Instant.MAX;
    }
    if (start.interrupted) {
      giveBack(group, "a Binding has failed, and there is no room for the pod elsewhere", now);
      return Instant.MAX;
    }
    if (model.get().disruption() != GroupDisruption.GROUP) {
      return Instant.MAX;
    }
    if (start.incompleteSince.equals(Instant.MAX)) {
      start.incompleteSince = now;
    }
    Instant end = start.incompleteSince.plus(model.get().timeout());
    if (end.isAfter(now)) {
      return end;
    }
    giveBack(
        group,
        "there was no room for its missing pods for " + model.get().timeout().toSeconds() + " s",
        now);
    return Instant.MAX;
  }

  /**
   * Lets members give their nodes back: those that are not bound yet, and if the group is disrupted
   * as a whole those that are.
   */
  private void giveBack(GroupEntry group, String why, Instant now) {
    GroupStart start = startOf(group);
    boolean all =
        group.model().map(GroupModel::disruption).orElse(GroupDisruption.POD)
            == GroupDisruption.GROUP;
    for (PodEntry pod : List.copyOf(group.placed())) {
      boolean bound = !pod.model().nodeName().isEmpty();
      if (group.standingOf(pod).equals(Optional.of(Standing.PLACED)) && (all || !bound)) {
        start.givenBack.add(pod.key());
        state.groups().stands(pod, Standing.LEAVING);
        String message =
            "%s gives its nodes back: it has less than its minimum, and %s"
                .formatted(group.ref(), why);
        String nodeName =
            bound ? pod.model().nodeName() : state.nodes().name(Math.max(0, pod.slot()));
        pending
            .decided()
            .add(
                new Decision.GivenBack(
                    pod.ref(), new Attempt(1, now), nodeName, message, untried(pod, message)));
      }
    }
    start.incompleteSince = Instant.MAX;
    start.interrupted = false;
  }

  /** The API server refused to evict a member that was to give its node back: it stays. */
  void keeps(PodEntry pod, Instant now) {
    if (startOf(pod).givenBack.remove(pod.key())) {
      settled(pod, now);
    }
  }

  private CycleRecord untried(PodEntry pod, String message) {
    return new CycleRecord.Untried(
        policies.nameFor(pod.model().policy()), "", state.nodes().size(), message);
  }

  /** Ends what was promised to the members that wait, and what their group waits for. */
  public void endPromises(GroupEntry group) {
    promises.awaited().forget(group.key());
    group.waiting().forEach(pod -> promises.nominations().end(pod.key()));
  }

  /** A promise has ended: whoever held it looks for other room at once. */
  void lookElsewhere(String key, Instant now) {
    PodEntry pod = state.pods().byUid(key);
    Optional<GroupEntry> group =
        pod == null
            ? state.groups().all().stream().filter(it -> it.key().equals(key)).findFirst()
            : state.groups().of(pod).filter(it -> !it.isMet());
    group.ifPresent(this::endPromises);
    pending.queue().activate(group.map(GroupEntry::key).orElse(key), now);
  }

  // ---------------------------------------------------------------------------------- messages

  /**
   * Tells the pods of a group that wait what keeps it back; those that have the same message are
   * left in peace.
   */
  public void tell(GroupEntry group, Attempt attempt, String message) {
    GroupStart start = startOf(group);
    String text = BoundedText.cut(message);
    if (!text.equals(start.message)) {
      start.message = text;
      start.informed.clear();
    }
    for (PodEntry pod : group.waiting()) {
      if (start.informed.add(pod.key())) {
        pending
            .decided()
            .add(
                new Decision.Unschedulable(
                    pod.ref(),
                    attempt,
                    text,
                    promises.nominations().nodeOf(pod.key()),
                    Optional.empty(),
                    untried(pod, text)));
      }
    }
  }

  @Override
  public Instant due() {
    return due;
  }

  @Override
  public void run(Instant now) {
    if (due.isAfter(now)) {
      return;
    }
    due = Instant.MAX;
    starts.forEach(
        (ref, start) -> {
          if (!start.reportDue.isAfter(now)) {
            start.reportDue = Instant.MAX;
            state
                .groups()
                .find(ref)
                .ifPresent(
                    group ->
                        group.gatedBy().ifPresent(why -> tell(group, new Attempt(1, now), why)));
          } else if (start.reportDue.isBefore(due)) {
            due = start.reportDue;
          }
        });
  }
}
