package io.berth.demo.history;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
    Watcher watcher = new Watcher(history);
    Instant calm = history.calmSince();
    for (ClusterChange change : history.changes()) {
      if (change.at().isAfter(calm)) {
        watcher.look(calm);
        watcher.judge(change.at());
      }
      watcher.cluster.apply(change);
      if (change.at().isAfter(calm)) {
        watcher.look(change.at());
      }
    }
    watcher.look(calm);
    watcher.judge(history.end());
    return watcher.found;
  }

  private final class Watcher {
    private final History history;
    private final ClusterReplay cluster = new ClusterReplay();
    private final Map<String, Instant> fitsSince = new HashMap<>();
    private final Set<String> reported = new HashSet<>();
    private final List<Violation> found = new ArrayList<>();

    Watcher(History history) {
      this.history = history;
    }

    /** Returns whether the limit of the pod's queue leaves room for it. */
    private boolean isWithinLimit(PodState pod) {
      return history.queueOf(pod).stream()
          .allMatch(queue -> queue.allows(cluster.usedBy(queue).plus(pod.requests())));
    }

    /** Records which pending pods fit. Pods that already fitted keep their start time. */
    private void look(Instant now) {
      Map<String, Instant> fitting = new HashMap<>();
      for (PodState pod : cluster.pendingPods()) {
        if (schedulers.contains(pod.scheduler())
            && isWithinLimit(pod)
            && cluster.nodeFor(pod).isPresent()) {
          fitting.put(pod.uid(), fitsSince.getOrDefault(pod.uid(), now));
        }
      }
      fitsSince.clear();
      fitsSince.putAll(fitting);
    }

    private void judge(Instant now) {
      for (PodState pod : cluster.pendingPods()) {
        Instant since = fitsSince.get(pod.uid());
        if (since != null
            && Duration.between(since, now).compareTo(limit) > 0
            && reported.add(pod.uid())) {
          found.add(
              new Violation(
                  RULE,
                  now,
                  "%s of %s requests %s, has fitted since %s, currently on %s, and is still pending"
                      .formatted(
                          pod.title(),
                          pod.scheduler(),
                          pod.requests(),
                          since,
                          cluster.nodeFor(pod).map(NodeState::name).orElse("none"))));
        }
      }
    }
  }
}
