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
 * The rule that after all faults are over, no pod waits for longer than a limit for what its queue
 * is guaranteed: the guarantee covers it beside all pods of its queue that are bound, and it fits
 * on a node beside the pods of its own queue there, as all others can be taken back.
 *
 * @param schedulers the schedulerNames to check
 * @param limit maximum time for which this may hold without interruption
 */
record GuaranteesMet(Set<String> schedulers, Duration limit) implements Rule {
  private static final String RULE = "guarantees are met";

  @Override
  public List<Violation> violations(History history) {
    if (history.queues().isEmpty()) {
      return List.of();
    }
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
    private final Set<String> reported = new HashSet<>();
    private final List<Violation> found = new ArrayList<>();
    private Map<String, Instant> owedSince = new HashMap<>();

    Watcher(History history) {
      this.history = history;
    }

    /** Records which pending pods are owed room. Those that were before keep their start time. */
    void look(Instant now) {
      Map<String, Instant> owed = new HashMap<>();
      for (PodState pod : cluster.pendingPods()) {
        if (schedulers.contains(pod.scheduler())
            && history.queueOf(pod).stream().anyMatch(queue -> isOwed(pod, queue))) {
          owed.put(pod.uid(), owedSince.getOrDefault(pod.uid(), now));
        }
      }
      owedSince = owed;
    }

    private boolean isOwed(PodState pod, TenantQueue queue) {
      Amounts with = cluster.usedBy(queue).plus(pod.requests());
      return queue.covers(with, pod.requests())
          && queue.allows(with)
          && cluster.fitsSomewhere(pod, other -> queue.isOf(other));
    }

    private String used(TenantQueue queue) {
      Amounts used = cluster.usedBy(queue);
      return used.equals(Amounts.NONE) ? "nothing" : used.toString();
    }

    void judge(Instant now) {
      for (PodState pod : cluster.pendingPods()) {
        Instant since = owedSince.get(pod.uid());
        if (since != null
            && Duration.between(since, now).compareTo(limit) > 0
            && reported.add(pod.uid())) {
          TenantQueue queue = history.queueOf(pod).orElseThrow();
          found.add(
              new Violation(
                  RULE,
                  now,
                  "%s requests %s, and is pending since %s although queue %s is guaranteed %s and uses %s"
                      .formatted(
                          pod.title(),
                          pod.requests(),
                          since,
                          queue.name(),
                          queue.guarantee(),
                          used(queue))));
        }
      }
    }
  }
}
