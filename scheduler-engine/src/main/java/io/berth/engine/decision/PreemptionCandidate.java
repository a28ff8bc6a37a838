package io.berth.engine.decision;

import io.berth.engine.model.PodRef;
import java.util.List;

/**
 * A node on which the pod fits after evictions.
 *
 * @param node the node's name
 * @param victims the pods to evict, in descending order of importance; at least one
 * @param budgetViolations the number of victims whose eviction would violate a PodDisruptionBudget
 *     now
 */
public record PreemptionCandidate(String node, List<PodRef> victims, int budgetViolations) {
  public PreemptionCandidate {
    victims = List.copyOf(victims);
  }
}
