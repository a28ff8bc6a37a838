package io.berth.operator.group;

import io.berth.engine.GroupState;
import java.time.Instant;
import java.util.Optional;

/** The rules for the status of a dialect's objects. */
sealed interface GroupStatus permits KubernetesStatus, VolcanoStatus {

  /** The kind that an object of the dialect has. */
  String apiVersion();

  /** The path of an object's collection. */
  default String collection(String namespace) {
    return "/apis/" + apiVersion() + "/namespaces/" + namespace + "/podgroups";
  }

  /**
   * Returns the change that an object's status needs; empty where it says what is the case, or
   * where it is somebody else's to write.
   */
  Optional<StatusChange> change(StatusView object, GroupState group, PodPhases phases, Instant now);

  /** Returns whether the group's minimum is placed, and its Bindings are made. */
  static boolean isScheduled(GroupState group) {
    return group.phase() == GroupState.Phase.PLACED
        && group.placed() + group.succeeded() > 0
        && group.pods().confirmed();
  }

  /** Returns the reason for which a group waits, once its pods have it; else an empty text. */
  static String reason(GroupState group) {
    return group.phase() == GroupState.Phase.PLACED || !group.pods().informed()
        ? ""
        : group.message();
  }
}
