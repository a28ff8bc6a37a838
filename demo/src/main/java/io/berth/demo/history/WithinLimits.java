package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rule that with each binding by a Berth, the pods of its queue stay within the limit. A pod
 * counts until it is gone or finished, also while it is terminating.
 *
 * @param schedulers the schedulerNames to check
 */
record WithinLimits(Set<String> schedulers) implements Rule {
  private static final String RULE = "a binding keeps the limit of its queue";

  @Override
  public List<Violation> violations(History history) {
    List<Violation> found = new ArrayList<>();
    ClusterReplay cluster = new ClusterReplay();
    for (ClusterChange change : history.changes()) {
      boolean binds =
          change instanceof PodChange seen
              && !seen.deleted()
              && schedulers.contains(seen.pod().scheduler())
              && seen.pod().node().isPresent()
              && cluster.pod(seen.pod().uid()).filter(pod -> pod.node().isEmpty()).isPresent();
      cluster.apply(change);
      if (binds && change instanceof PodChange seen) {
        judge(seen, cluster, history).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<Violation> judge(
      PodChange binding, ClusterReplay cluster, History history) {
    PodState pod = binding.pod();
    return history.queueOf(pod).stream()
        .filter(queue -> !queue.allows(cluster.usedBy(queue).of(pod.requests())))
        .map(
            queue ->
                new Violation(
                    RULE,
                    binding.at(),
                    "with %s, the pods of queue %s request %s, but its limit is %s"
                        .formatted(
                            pod.title(), queue.name(), cluster.usedBy(queue), queue.limit())))
        .findFirst();
  }
}
