package io.berth.demo.history;

import java.util.Map;
import java.util.Optional;

/**
 * A pod at one moment.
 *
 * @param scheduler its schedulerName
 * @param requests what it requests, one of the resource {@code pods} included
 * @param nodeSelector the labels that its node must have; the only other demand that is known here
 * @param node where it is bound
 * @param gated whether a scheduling gate holds it back
 * @param leaving whether its deletion has begun
 * @param finished whether it has succeeded or failed, and holds nothing any more
 * @param evictedBy the scheduler that marked it as the victim of a preemption
 */
public record PodState(
    String uid,
    String namespace,
    String name,
    String scheduler,
    int priority,
    Amounts requests,
    Map<String, String> nodeSelector,
    Optional<String> node,
    boolean gated,
    boolean leaving,
    boolean finished,
    Optional<String> evictedBy) {

  public PodState {
    nodeSelector = Map.copyOf(nodeSelector);
  }

  /** Returns whether a scheduler should find a node for it. */
  public boolean isPending() {
    return node.isEmpty() && !gated && !leaving && !finished;
  }

  /** Returns the name by which messages call it. */
  public String title() {
    return "%s/%s (UID %s)".formatted(namespace, name, uid);
  }
}
