package io.berth.engine.lifecycle;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.BoundedText;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.group.GroupNeeds;
import io.berth.engine.model.GroupRef;
import io.berth.engine.policy.PolicyTable;
import io.berth.engine.queue.Nominations;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.GroupEntry.MemberState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.Timer;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The messages for the pending pods of groups, and the progress of each group. */
public final class GroupMessages implements Timer {
  /**
   * The delay before the pods of an incomplete group get a message: usually all pods arrive soon.
   */
  private static final Duration BEFORE_REPORT = Duration.ofSeconds(2);

  private final ClusterState state;
  private final PolicyTable policies;
  private final GroupStarts starts;
  private final Nominations nominations;
  private final AnnouncedNominations announced;
  private final DecidedPods decided;
  private final Set<String> schedulerNames;
  private Due due = Due.NEVER;

  GroupMessages(
      ClusterState state,
      PolicyTable policies,
      GroupStarts starts,
      Nominations nominations,
      AnnouncedNominations announced,
      DecidedPods decided,
      Set<String> schedulerNames) {
    this.state = state;
    this.policies = policies;
    this.starts = starts;
    this.nominations = nominations;
    this.announced = announced;
    this.decided = decided;
    this.schedulerNames = schedulerNames;
  }

  /**
   * Gives the pending pods of a group the reason for waiting, except those that have the same
   * message already.
   */
  public void tell(GroupEntry group, Attempt attempt, WaitingReason why) {
    LastMessage last = starts.of(group).message();
    String text = BoundedText.cut(why.message() + missingClass(group) + counts(group));
    Map<String, Decision.WouldEvict> reports = new HashMap<>();
    why.wouldEvict().forEach((pod, report) -> reports.put(pod.key(), report));
    if (last.set(text, why.cause(), reports)) {
      state.groups().changed(group);
    } else if (last.isKnownToAll(group)) {
      return;
    }
    last.isSent(group);
    for (PodEntry pod : group.waiting()) {
      if (last.inform(pod)) {
        Optional<String> nominated = nominations.nodeOf(pod.key());
        announced.announce(pod.key(), nominated.orElse(""), pod.model().nominatedNode());
        decided.add(
            new Decision.Unschedulable(
                pod.ref(),
                attempt,
                why.cause(),
                text,
                false,
                nominated,
                Optional.ofNullable(reports.get(pod.key())),
                record(group, pod, why, text)));
      }
    }
  }

  private CycleRecord record(GroupEntry group, PodEntry pod, WaitingReason why, String text) {
    return new CycleRecord.OfGroup(
        group.ref().toString(), why.rejected().orElseGet(() -> untried(pod, text)), text);
  }

  private static String missingClass(GroupEntry group) {
    return group
        .missingClass()
        .map(
            name ->
                ". Its PriorityClass \"%s\" does not exist, so it has the priority of its most important pod"
                    .formatted(name))
        .orElse("");
  }

  /** Returns the progress of the group, without the reason for waiting. */
  private static String counts(GroupEntry group) {
    return group.model().isEmpty()
        ? ""
        : " (pods: %d exist, %d placed, %d missing)"
            .formatted(group.existing(), group.held(), GroupNeeds.of(group).left());
  }

  /** Records that an attempt failed and was undone; the pods already have this message. */
  public void attemptFailed(GroupEntry group, String message) {
    said(group, message, true);
  }

  /** Records that victims are evicted for the group; the pods already have this message. */
  public void awaitsVictims(GroupEntry group, String message) {
    said(group, message, false);
  }

  private void said(GroupEntry group, String message, boolean ofUndoneAttempt) {
    starts.of(group).message().setElsewhere(message, ofUndoneAttempt);
    state.groups().changed(group);
  }

  CycleRecord untried(PodEntry pod, String message) {
    String policy = policies.nameFor(pod.model().policy());
    return new CycleRecord.Untried(
        policy, policies.revisionFor(pod.model()), state.nodes().size(), message);
  }

  /** Schedules a message for the pods of a group that cannot be tried. */
  void incomplete(GroupStart start, Instant now) {
    start.lacksMembers(Due.at(now.plus(BEFORE_REPORT)));
    due = due.orEarlier(start.reportDue());
  }

  /** Schedules the message again for pods that have it, because their nominations have changed. */
  void incompleteAgain(GroupStart start, Instant now) {
    start.message().repeat();
    incomplete(start, now);
  }

  @Override
  public Due due() {
    return due;
  }

  @Override
  public void run(Instant now) {
    if (!due.isReached(now)) {
      return;
    }
    due = Due.NEVER;
    starts.forEach((ref, start) -> report(ref, start, now));
  }

  private void report(GroupRef ref, GroupStart start, Instant now) {
    if (start.reportDue().isReached(now)) {
      start.reported();
      state
          .groups()
          .find(ref)
          .ifPresent(
              group ->
                  group
                      .gatedBy()
                      .ifPresent(
                          why ->
                              tell(
                                  group,
                                  new Attempt(1, now),
                                  WaitingReason.of(WaitCause.GROUP_INCOMPLETE, why))));
    } else {
      due = due.orEarlier(start.reportDue());
    }
  }

  /** Returns the states of the groups that changed since the last call. */
  public List<GroupState> takeChanged() {
    return state.groups().takeChanged().stream().map(this::stateOf).toList();
  }

  /** Returns the state of a group. */
  public GroupState stateOf(GroupEntry group) {
    Optional<String> gated = group.gatedBy();
    GroupState.Phase phase =
        group.isStarted()
            ? GroupState.Phase.PLACED
            : gated.isPresent() ? GroupState.Phase.INCOMPLETE : GroupState.Phase.WAITING;
    GroupStart start = starts.of(group);
    String message =
        switch (phase) {
          case INCOMPLETE -> gated.orElse("");
          case WAITING -> start.message().text();
          case PLACED -> "";
        };
    return new GroupState(
        group.ref(),
        group.model(),
        group.existing(),
        group.count(MemberState.PLACED) + group.count(MemberState.BEFORE),
        group.count(MemberState.SUCCEEDED),
        GroupNeeds.of(group).left(),
        phase,
        message,
        new GroupState.Pods(
            group.waiting().size(),
            isOfThisScheduler(group),
            start.members().areConfirmed(),
            !start.message().text().isEmpty(),
            start.message().isOfUndoneAttempt()));
  }

  private boolean isOfThisScheduler(GroupEntry group) {
    return !group.waiting().isEmpty()
        || group.placed().stream()
            .anyMatch(pod -> schedulerNames.contains(pod.model().schedulerName()));
  }
}
