package io.berth.engine.model;

import java.util.Optional;

/**
 * The membership of a pod in a group, as declared on the pod.
 *
 * @param role the role of the pod in the group; empty if the group has no roles
 * @param declared the group as the pod describes it; empty if an object describes it
 */
public record GroupMembership(GroupRef group, String role, Optional<GroupModel> declared) {}
