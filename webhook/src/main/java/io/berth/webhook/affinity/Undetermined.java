package io.berth.webhook.affinity;

import io.berth.crds.ParameterType;

/**
 * A placeholder in a tree for a value that depends on a pod or its arguments. Only its type is
 * checked. As the condition {@code $if} of an object, it means that the object may be absent.
 *
 * @param type the type of the value
 */
public record Undetermined(ParameterType type) {}
