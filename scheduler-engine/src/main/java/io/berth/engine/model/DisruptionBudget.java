package io.berth.engine.model;

import java.util.Set;

/**
 * A PodDisruptionBudget.
 *
 * @param selector nothing where the budget has none; an empty one selects nothing in a budget
 * @param disruptionsAllowed how many of its pods may be disrupted now
 * @param disruptedPods names of pods whose disruption was granted and not yet counted
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
}
