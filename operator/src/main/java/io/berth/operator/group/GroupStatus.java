package io.berth.operator.group;

import io.berth.engine.api.GroupState;
import java.time.Instant;
import java.util.Optional;

/** The rules for the status of the objects of one dialect. */
sealed interface GroupStatus permits KubernetesStatus, VolcanoStatus {

  /**
   * Returns the change that an object's status needs; empty if it is up to date, or if another
   * component writes it.
   */
  Optional<StatusChange> change(StatusView object, GroupState group, PodPhases phases, Instant now);

  /** Returns whether the group's minimum is placed and its Bindings are confirmed. */
  static boolean isScheduled(GroupState group) {
    return group.phase() == GroupState.Phase.PLACED
        && group.placed() + group.succeeded() > 0
        && group.pods().confirmed();
  }

  /** Returns the reason why a group waits, once its pods report it; otherwise an empty string. */
  static String reason(GroupState group) {
    return group.phase() == GroupState.Phase.PLACED || !group.pods().informed()
        ? ""
        : group.message();
  }
}
