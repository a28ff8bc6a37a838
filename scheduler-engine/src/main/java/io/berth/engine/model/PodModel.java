package io.berth.engine.model;

import io.berth.engine.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pod as the engine sees it.
 *
 * @param schedulerName who is to schedule it
 * @param policy the SchedulingPolicy it names; empty where it names none
 * @param group the group that it belongs to
 * @param nodeName the node it is bound to; empty while it is pending
 * @param nominatedNode the node that an earlier decision made room on; empty where none did
 * @param finished Succeeded or Failed: it holds nothing any more
 * @param succeeded finished, and well: its group counts it as placed
 * @param terminating it has a deletion timestamp: it holds what it has until it is gone
 * @param preempted it is terminating because a scheduler evicted it for another pod
 * @param gates names of scheduling gates that are still closed
 * @param startedAt when the kubelet acknowledged it
 * @param runTime how long it runs, as far as anybody knows
 * @param cards the GPU cards of its node that it was given; empty where it was given none, or
 *     nobody can tell which
 * @param awaitsCards its node's agent has not said yet that it has given the pod its cards
 */
public record PodModel(
    PodRef ref,
    String schedulerName,
    String policy,
    Map<String, String> labels,
    PodSpec spec,
    Optional<Controller> controller,
    Optional<GroupMembership> group,
    String nodeName,
    String nominatedNode,
    boolean finished,
    boolean succeeded,
    boolean terminating,
    boolean preempted,
    List<String> gates,
    Instant createdAt,
    Optional<Instant> startedAt,
    RunTime runTime,
    Optional<CardAssignment> cards,
    boolean awaitsCards) {
  public PodModel {
    labels = Map.copyOf(labels);
    gates = List.copyOf(gates);
  }

  /**
   * Returns whether the pod is one of a DaemonSet. Anybody may write an owner reference, so the pod
   * must also be pinned to a node, as the DaemonSet controller pins its pods. Where both are
   * forged, the controller deletes the pod or removes the reference.
   */
  public boolean isOfDaemonSet() {
    return controller
            .filter(it -> it.kind().equals("DaemonSet") && it.apiVersion().equals("apps/v1"))
            .isPresent()
        && spec.nodes().pinnedNode().isPresent();
  }

  /**
   * Returns how far its node's agent is with its cards: the kubelet asks before it acknowledges.
   */
  public CardHandout cardHandout() {
    if (!awaitsCards) {
      return CardHandout.DONE;
    }
    return startedAt.isPresent() ? CardHandout.UNTOLD : CardHandout.AHEAD;
  }

  /** The same pod under another policy; an empty name means the default. */
  public PodModel withPolicy(String name) {
    return Pods.from(this).policy(name).build();
  }
}
