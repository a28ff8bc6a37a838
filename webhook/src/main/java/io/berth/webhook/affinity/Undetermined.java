package io.berth.webhook.affinity;

import io.berth.crds.ParameterType;

/**
 * A placeholder in a tree for a value that depends on a pod or its arguments. Its type is checked,
 * its value is not. As the condition of an object, {@code $if}, it means that the object may be
 * absent.
 *
 * @param type what the value will be
 */
public record Undetermined(ParameterType type) {}
