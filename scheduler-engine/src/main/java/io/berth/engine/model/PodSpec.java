package io.berth.engine.model;

import java.util.List;
import java.util.Set;

/**
 * The part of a pod that scheduling reads, except its identity and labels. Replicas of one
 * controller have equal specs, so the engine stores one spec and computes its answers once.
 *
 * @param priorityClass the name of its PriorityClass; empty if it has none
 * @param requestedNode the node in {@code spec.nodeName} if the pod has one and is still to be
 *     scheduled; empty otherwise
 * @param neverPreempts whether its preemptionPolicy is Never
 * @param requiredFeatures the names of the features that the kubelet of its node must declare
 * @param devices its resource claims, and what devices may serve (dynamic resource allocation)
 * @param cards the pod's request for GPU cards
 * @param virtualRequest the declared expected usage of the pod; other resources are expected to be
 *     used as requested
 */
public record PodSpec(
    int priority,
    String priorityClass,
    boolean neverPreempts,
    String requestedNode,
    PodRequests requests,
    NodeSelection nodes,
    List<Toleration> tolerations,
    PodAffinity affinity,
    List<SpreadConstraint> spread,
    List<HostPort> ports,
    PodImages images,
    List<PodVolume> volumes,
    Set<String> requiredFeatures,
    PodDevices devices,
    PodCards cards,
    ResourceAmounts virtualRequest) {
  public PodSpec {
    tolerations = List.copyOf(tolerations);
    spread = List.copyOf(spread);
    ports = List.copyOf(ports);
    volumes = List.copyOf(volumes);
    requiredFeatures = Set.copyOf(requiredFeatures);
  }

  /** Returns the same spec, not pinned to a node. */
  public PodSpec withoutPinnedNode() {
    return new PodSpec(
        priority,
        priorityClass,
        neverPreempts,
        requestedNode,
        requests,
        nodes.withoutPinnedNode(),
        tolerations,
        affinity,
        spread,
        ports,
        images,
        volumes,
        requiredFeatures,
        devices,
        cards,
        virtualRequest);
  }

  /** Returns the same spec with other volumes and devices. */
  public PodSpec with(List<PodVolume> otherVolumes, PodDevices otherDevices) {
    return new PodSpec(
        priority,
        priorityClass,
        neverPreempts,
        requestedNode,
        requests,
        nodes,
        tolerations,
        affinity,
        spread,
        ports,
        images,
        otherVolumes,
        requiredFeatures,
        otherDevices,
        cards,
        virtualRequest);
  }
}
