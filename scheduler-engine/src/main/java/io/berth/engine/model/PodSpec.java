package io.berth.engine.model;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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

  /**
   * Compares all parts. Each pod that arrives is looked up by its spec, and this is several times
   * as fast as the methods that records have by default.
   */
  @Override
  public boolean equals(@Nullable Object other) {
    return this == other
        || (other instanceof PodSpec that
            && priority == that.priority
            && neverPreempts == that.neverPreempts
            && priorityClass.equals(that.priorityClass)
            && requestedNode.equals(that.requestedNode)
            && requests.equals(that.requests)
            && nodes.equals(that.nodes)
            && tolerations.equals(that.tolerations)
            && affinity.equals(that.affinity)
            && spread.equals(that.spread)
            && ports.equals(that.ports)
            && images.equals(that.images)
            && volumes.equals(that.volumes)
            && requiredFeatures.equals(that.requiredFeatures)
            && devices.equals(that.devices)
            && cards.equals(that.cards)
            && virtualRequest.equals(that.virtualRequest));
  }

  /** Returns a hash of all parts. */
  @Override
  public int hashCode() {
    int hash = 31 * priority + priorityClass.hashCode();
    hash = 31 * hash + (neverPreempts ? 1 : 0);
    hash = 31 * hash + requestedNode.hashCode();
    hash = 31 * hash + requests.hashCode();
    hash = 31 * hash + nodes.hashCode();
    hash = 31 * hash + tolerations.hashCode();
    hash = 31 * hash + affinity.hashCode();
    hash = 31 * hash + spread.hashCode();
    hash = 31 * hash + ports.hashCode();
    hash = 31 * hash + images.hashCode();
    hash = 31 * hash + volumes.hashCode();
    hash = 31 * hash + requiredFeatures.hashCode();
    hash = 31 * hash + devices.hashCode();
    hash = 31 * hash + cards.hashCode();
    return 31 * hash + virtualRequest.hashCode();
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
