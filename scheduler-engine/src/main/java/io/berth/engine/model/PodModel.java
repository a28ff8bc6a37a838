package io.berth.engine.model;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The engine's view of a pod.
 *
 * @param schedulerName the scheduler that is responsible for it
 * @param policy the SchedulingPolicy it references; empty for none
 * @param group its group membership
 * @param otherQueues the queues of other dialects that it names; the first of a served dialect
 *     counts, unless it names a SchedulingQueue
 * @param nodeName the node it is bound to; empty while it is pending
 * @param nominatedNode the node that it is nominated for; empty for none
 * @param finished whether it has succeeded or failed, and holds no resources any more
 * @param succeeded whether it has succeeded; its group counts it as placed
 * @param terminating whether it has a deletion timestamp; it holds its resources until it is
 *     deleted
 * @param preempted whether it is terminating because a scheduler preempted it
 * @param mirror whether it is the mirror pod of a static pod: deleting it does not stop the static
 *     pod
 * @param gates the names of its scheduling gates
 * @param startedAt the time when the kubelet acknowledged it
 * @param runTime its expected run time, if known
 * @param cards the GPU cards that were assigned to it; empty if there are none, or if they are
 *     unknown
 * @param awaitsCards whether its node's agent has not confirmed the assignment of its cards yet
 * @param workloadHash the hash of its group or root owner; see {@link WorkloadHash}
 */
public record PodModel(
    PodRef ref,
    String schedulerName,
    String policy,
    Map<String, String> labels,
    PodSpec spec,
    Optional<Controller> controller,
    Optional<GroupMembership> group,
    List<QueueRef> otherQueues,
    String nodeName,
    String nominatedNode,
    boolean finished,
    boolean succeeded,
    boolean terminating,
    boolean preempted,
    boolean mirror,
    List<String> gates,
    Instant createdAt,
    Optional<Instant> startedAt,
    RunTime runTime,
    Optional<CardAssignment> cards,
    boolean awaitsCards,
    int workloadHash) {
  public PodModel {
    labels = Map.copyOf(labels);
    otherQueues = List.copyOf(otherQueues);
    gates = List.copyOf(gates);
  }

  /**
   * Returns whether the pod belongs to a DaemonSet. Any user may write an owner reference, so the
   * pod must also be pinned to a node in the way of the DaemonSet controller. If both are forged,
   * the controller deletes the pod or removes the reference.
   */
  public boolean isOfDaemonSet() {
    return controller
            .filter(it -> it.kind().equals("DaemonSet") && it.apiVersion().equals("apps/v1"))
            .isPresent()
        && spec.nodes().pinnedNode().isPresent();
  }

  /**
   * Returns the progress of the node's agent with the pod's cards: the kubelet asks the agent
   * before it acknowledges the pod.
   */
  public CardHandout cardHandout() {
    if (!awaitsCards) {
      return CardHandout.DONE;
    }
    return startedAt.isPresent() ? CardHandout.UNTOLD : CardHandout.AHEAD;
  }

  /** Returns the same pod with other cards. */
  public PodModel withCards(Optional<CardAssignment> others) {
    return copy(policy, others);
  }

  /** Returns the same pod under another policy; an empty name means the default. */
  public PodModel withPolicy(String name) {
    return copy(name, cards);
  }

  private PodModel copy(String otherPolicy, Optional<CardAssignment> otherCards) {
    return new PodModel(
        ref,
        schedulerName,
        otherPolicy,
        labels,
        spec,
        controller,
        group,
        otherQueues,
        nodeName,
        nominatedNode,
        finished,
        succeeded,
        terminating,
        preempted,
        mirror,
        gates,
        createdAt,
        startedAt,
        runTime,
        otherCards,
        awaitsCards,
        workloadHash);
  }
}
