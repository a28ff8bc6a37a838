package io.berth.engine.lifecycle;

import io.berth.engine.api.Attempt;
import io.berth.engine.api.Decision;
import io.berth.engine.lifecycle.GroupPhase.Held;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.GroupEntry.MemberState;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The groups with some members on nodes, and other required members pending. */
public final class InterruptedStarts {
  private final ClusterState state;
  private final GroupStarts starts;
  private final GroupMessages messages;
  private final DecidedPods decided;

  InterruptedStarts(
      ClusterState state, GroupStarts starts, GroupMessages messages, DecidedPods decided) {
    this.state = state;
    this.starts = starts;
    this.messages = messages;
    this.decided = decided;
  }

  /**
   * Handles missing members of a group that do not fit.
   *
   * @return the time to retry even without an event, and to release the group's nodes; never if the
   *     group holds nothing that expires
   */
  public Due foundNoRoom(GroupEntry group, Instant now) {
    GroupStart start = starts.of(group);
    Optional<GroupModel> model = group.model();
    if (group.placed().isEmpty() || model.isEmpty()) {
      return Due.NEVER;
    }
    if (start.held() instanceof Held.BindingFailed) {
      giveBack(group, "a Binding has failed, and there is no room for the pod elsewhere", now);
      return Due.NEVER;
    }
    if (model.get().disruption() != GroupDisruption.GROUP && !group.neverReachedMinimum()) {
      return Due.NEVER;
    }
    start.othersDoNotFit(now);
    if (start.held() instanceof Held.OthersDoNotFit(Instant since)) {
      Instant end = since.plus(model.get().timeout());
      if (end.isAfter(now)) {
        return Due.at(end);
      }
    }
    giveBack(
        group,
        "there was no room for its missing pods for " + model.get().timeout().toSeconds() + " s",
        now);
    return Due.NEVER;
  }

  /**
   * Returns whether a start that a former leader began was never completed. Nobody has used the
   * members that are bound.
   */
  private static boolean isLeftIncomplete(GroupEntry group, GroupStart start) {
    return start.held() instanceof Held.OthersDoNotFit && group.neverReachedMinimum();
  }

  /**
   * Asks members to release their nodes: those that are not bound yet, and also the bound ones if
   * the group is disrupted as a whole, or was never complete.
   */
  void giveBack(GroupEntry group, String why, Instant now) {
    GroupStart start = starts.of(group);
    boolean all =
        group.model().map(GroupModel::disruption).orElse(GroupDisruption.POD)
                == GroupDisruption.GROUP
            || isLeftIncomplete(group, start);
    for (PodEntry pod : List.copyOf(group.placed())) {
      boolean bound = !pod.model().nodeName().isEmpty();
      if (group.standingOf(pod).equals(Optional.of(MemberState.PLACED)) && (all || !bound)) {
        start.members().giveBack(pod);
        state.groups().stands(pod, MemberState.LEAVING);
        String message =
            "%s releases its nodes: it is below its minimum, and %s".formatted(group.ref(), why);
        String nodeName =
            bound ? pod.model().nodeName() : state.nodes().name(Math.max(0, pod.slot()));
        decided.add(
            new Decision.GivenBack(
                pod.ref(), new Attempt(1, now), nodeName, message, messages.untried(pod, message)));
      }
    }
    start.holdsNoLonger();
  }
}
