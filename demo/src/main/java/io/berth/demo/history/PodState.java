package io.berth.demo.history;

import java.util.Map;
import java.util.Optional;

/**
 * The state of a pod at a point in time.
 *
 * @param scheduler the schedulerName
 * @param requests the requested resources, including one of the resource {@code pods}
 * @param nodeSelector the required node labels; no other constraints are considered
 * @param node the node it is bound to
 * @param gated whether it has a scheduling gate
 * @param leaving whether it is terminating
 * @param finished whether it has succeeded or failed, so that it uses no resources
 * @param evictedBy the scheduler that marked it as a preemption victim
 * @param queue the queue of tenants that its label names
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
    Optional<String> evictedBy,
    Optional<String> queue) {

  public PodState {
    nodeSelector = Map.copyOf(nodeSelector);
  }

  /** Returns whether the pod is waiting to be scheduled. */
  public boolean isPending() {
    return node.isEmpty() && !gated && !leaving && !finished;
  }

  /** Returns the same state, of a pod that is no victim. */
  public PodState withoutEviction() {
    return new PodState(
        uid,
        namespace,
        name,
        scheduler,
        priority,
        requests,
        nodeSelector,
        node,
        gated,
        leaving,
        finished,
        Optional.empty(),
        queue);
  }

  /** Returns the name of the pod in messages. */
  public String title() {
    return "%s/%s (UID %s)".formatted(namespace, name, uid);
  }
}
