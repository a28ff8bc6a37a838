package io.berth.engine.model;

import java.util.List;
import java.util.Set;

/**
 * All that scheduling reads from a pod but its identity and labels. Replicas of one controller have
 * equal specs, so that the engine keeps one and works out its answers once.
 *
 * @param priorityClass the name of its PriorityClass; empty where it names none
 * @param requestedNode the node's name where the pod comes with one and yet is to be scheduled;
 *     empty otherwise
 * @param neverPreempts preemptionPolicy Never
 * @param requiredFeatures names of the features that the kubelet of its node must declare
 * @param resourceClaims names of the resource claims (dynamic resource allocation) the pod waits
 *     for
 * @param cards what the pod asks of a node's GPU cards
 * @param virtualRequest what the pod is expected to really use, where somebody said so; resources
 *     that are not named are expected to be used as requested
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
    List<String> resourceClaims,
    PodCards cards,
    ResourceAmounts virtualRequest) {
  public PodSpec {
    tolerations = List.copyOf(tolerations);
    spread = List.copyOf(spread);
    ports = List.copyOf(ports);
    volumes = List.copyOf(volumes);
    requiredFeatures = Set.copyOf(requiredFeatures);
    resourceClaims = List.copyOf(resourceClaims);
  }
}
