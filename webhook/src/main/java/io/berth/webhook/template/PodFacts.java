package io.berth.webhook.template;

import java.util.Map;

/**
 * The properties of a pod that a template can read. The pod's name is not one of them, because
 * names are generated after mutation.
 *
 * @param namespace the pod's namespace
 * @param labels the pod's labels
 * @param annotations the pod's annotations
 * @param ownerKind the kind of the controlling owner, such as {@code ReplicaSet}; empty for a pod
 *     without a controller
 * @param ownerName the name of the controlling owner; empty for a pod without a controller
 */
public record PodFacts(
    String namespace,
    Map<String, String> labels,
    Map<String, String> annotations,
    String ownerKind,
    String ownerName) {}
