package io.berth.demo.history;

import java.util.Map;

/**
 * The state of a node at a point in time.
 *
 * @param allocatable the allocatable resources
 * @param open whether the pods of the run can be placed on it: it is neither cordoned nor has a
 *     taint that they do not tolerate
 */
public record NodeState(
    String name, Map<String, String> labels, Amounts allocatable, boolean open) {

  public NodeState {
    labels = Map.copyOf(labels);
  }

  /** Returns whether a pod can be placed on the node if it has enough resources. */
  public boolean admits(PodState pod) {
    return open && labels.entrySet().containsAll(pod.nodeSelector().entrySet());
  }
}
