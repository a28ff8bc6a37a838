package io.berth.engine.model;

import java.util.Optional;

/**
 * The membership of a pod in a group, as declared on the pod.
 *
 * @param role the role of the pod in the group; empty if the group has no roles
 * @param declared the group as the pod describes it; empty if an object describes it
 * @param hasMinimum whether the pod declares the minimum of the whole group, so that the pods that
 *     its controller created before do not count any more where they differ
 */
public record GroupMembership(
    GroupRef group, String role, Optional<GroupModel> declared, boolean hasMinimum) {

  /** Creates the membership of a pod that may declare less than others know. */
  public GroupMembership(GroupRef group, String role, Optional<GroupModel> declared) {
    this(group, role, declared, false);
  }
}
