package io.berth.engine.model;

import java.util.Set;

/**
 * A PodDisruptionBudget.
 *
 * @param selector selects nothing if the budget has none; an empty one also selects nothing in a
 *     budget
 * @param disruptionsAllowed the number of its pods that may be disrupted now
 * @param disruptedPods the names of pods whose disruption was granted, but is not counted yet
 */
public record DisruptionBudget(
    String namespace,
    String name,
    LabelSelector selector,
    int disruptionsAllowed,
    Set<String> disruptedPods) {
  public DisruptionBudget {
    disruptedPods = Set.copyOf(disruptedPods);
  }

  /** Returns whether the selector selects the pod; in a budget, one for all pods selects none. */
  public boolean selects(PodModel pod) {
    return !selector.isEverything() && selector.matches(pod.labels());
  }
}
