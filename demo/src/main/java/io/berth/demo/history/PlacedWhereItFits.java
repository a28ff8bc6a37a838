package io.berth.demo.history;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The rule that, once all faults are over, no pod stays pending while it fits on some node. The
 * time of a pod restarts whenever it fits on no node.
 *
 * @param schedulers the schedulerNames to check
 * @param limit maximum time for which a pod that fits may stay pending
 */
record PlacedWhereItFits(Set<String> schedulers, Duration limit) implements Rule {
  private static final String RULE = "a pod that fits does not stay pending";

  @Override
  public List<Violation> violations(History history) {
    LongWaits.Condition fits =
        (pod, cluster) -> history.isWithinLimit(pod, cluster) && cluster.nodeFor(pod).isPresent();
    return new LongWaits(RULE, schedulers, limit, fits, PlacedWhereItFits::message).in(history);
  }

  private static String message(PodState pod, Instant since, ClusterReplay cluster) {
    return "%s of %s requests %s, has fitted since %s, currently on %s, and is still pending"
        .formatted(
            pod.title(),
            pod.scheduler(),
            pod.requests(),
            since,
            cluster.nodeFor(pod).map(NodeState::name).orElse("none"));
  }
}
