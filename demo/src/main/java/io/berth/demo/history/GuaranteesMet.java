package io.berth.demo.history;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
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
    LongWaits.Condition isOwed =
        (pod, cluster) ->
            history.queueOf(pod).stream().anyMatch(queue -> isOwed(pod, queue, cluster));
    LongWaits.Message message =
        (pod, since, cluster) -> message(pod, since, history.queueOf(pod).orElseThrow(), cluster);
    return new LongWaits(RULE, schedulers, limit, isOwed, message).in(history);
  }

  private static boolean isOwed(PodState pod, TenantQueue queue, ClusterReplay cluster) {
    Amounts with = cluster.usedBy(queue).plus(pod.requests());
    return queue.covers(with, pod.requests())
        && queue.allows(with)
        && cluster.fitsSomewhere(pod, queue::isOf);
  }

  private static String message(
      PodState pod, Instant since, TenantQueue queue, ClusterReplay cluster) {
    Amounts used = cluster.usedBy(queue);
    return "%s requests %s, and is pending since %s although queue %s is guaranteed %s and uses %s"
        .formatted(
            pod.title(),
            pod.requests(),
            since,
            queue.name(),
            queue.guarantee(),
            used.equals(Amounts.NONE) ? "nothing" : used);
  }
}
