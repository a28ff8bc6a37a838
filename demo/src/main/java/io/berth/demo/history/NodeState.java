package io.berth.demo.history;

import java.util.Map;

/**
 * A node at one moment.
 *
 * @param allocatable what its pods may request in sum
 * @param open whether the pods of the run may be placed on it: it is not cordoned, and has no taint
 *     that they do not tolerate
 */
public record NodeState(
    String name, Map<String, String> labels, Amounts allocatable, boolean open) {

  public NodeState {
    labels = Map.copyOf(labels);
  }

  /** Returns whether a pod may be placed on it, if there is room. */
  public boolean admits(PodState pod) {
    return open && labels.entrySet().containsAll(pod.nodeSelector().entrySet());
  }
}
