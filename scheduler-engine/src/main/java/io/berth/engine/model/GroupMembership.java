package io.berth.engine.model;

import java.util.Optional;

/**
 * A pod's word that it belongs to a group.
 *
 * @param role the part that the pod has in the group; empty where groups have no parts
 * @param declared the group as the pod describes it; empty where an object does
 */
public record GroupMembership(GroupRef group, String role, Optional<GroupModel> declared) {}
