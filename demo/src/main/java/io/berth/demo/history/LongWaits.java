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
 * Pods that, once all faults are over, are pending for longer than a limit while a condition holds.
 * The time of a pod restarts whenever the condition does not hold.
 *
 * @param rule the rule that such a pod violates
 * @param schedulers the schedulerNames of the pods to check
 * @param limit the maximum time
 * @param condition the condition, which is evaluated after each change
 * @param message the message about a pod
 */
record LongWaits(
    String rule, Set<String> schedulers, Duration limit, Condition condition, Message message) {
  /** A condition of a pending pod. */
  interface Condition {
    boolean holds(PodState pod, ClusterReplay cluster);
  }

  /** Describes a pod for which the condition has held for too long. */
  interface Message {
    String about(PodState pod, Instant since, ClusterReplay cluster);
  }

  /** Returns a violation for each such pod, in chronological order. */
  List<Violation> in(History history) {
    Watcher watcher = new Watcher();
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
    private final ClusterReplay cluster = new ClusterReplay();
    private final Set<String> reported = new HashSet<>();
    private final List<Violation> found = new ArrayList<>();
    private Map<String, Instant> holdsSince = Map.of();

    /** Records for which pods the condition holds. Those of before keep their start time. */
    private void look(Instant now) {
      Map<String, Instant> holding = new HashMap<>();
      for (PodState pod : cluster.pendingPods()) {
        if (schedulers.contains(pod.scheduler()) && condition.holds(pod, cluster)) {
          holding.put(pod.uid(), holdsSince.getOrDefault(pod.uid(), now));
        }
      }
      holdsSince = holding;
    }

    private void judge(Instant now) {
      for (PodState pod : cluster.pendingPods()) {
        Instant since = holdsSince.get(pod.uid());
        if (since != null
            && Duration.between(since, now).compareTo(limit) > 0
            && reported.add(pod.uid())) {
          found.add(new Violation(rule, now, message.about(pod, since, cluster)));
        }
      }
    }
  }
}
