package io.berth.webhook.template;

import java.util.Map;

/**
 * The facts of a pod that a template can read. The pod's name is not among it: names are generated
 * after admission.
 *
 * @param namespace the pod's namespace
 * @param labels the pod's labels
 * @param annotations the pod's annotations
 * @param ownerKind the kind of the controlling owner, such as {@code ReplicaSet}; empty for a bare
 *     pod
 * @param ownerName the name of the controlling owner; empty for a bare pod
 */
public record PodFacts(
    String namespace,
    Map<String, String> labels,
    Map<String, String> annotations,
    String ownerKind,
    String ownerName) {}
