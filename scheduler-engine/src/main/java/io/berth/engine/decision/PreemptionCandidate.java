package io.berth.engine.decision;

import io.berth.engine.PodRef;
import java.util.List;

/**
 * A node on which evicting pods makes room.
 *
 * @param node the node's name
 * @param victims the pods to evict, the most important first; at least one
 * @param budgetViolations how many of them their PodDisruptionBudgets do not allow to be evicted
 *     now
 */
public record PreemptionCandidate(String node, List<PodRef> victims, int budgetViolations) {
  public PreemptionCandidate {
    victims = List.copyOf(victims);
  }
}
