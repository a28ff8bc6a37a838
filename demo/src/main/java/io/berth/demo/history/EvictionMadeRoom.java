package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Every eviction makes room: at that time a pod of the same scheduler with a higher priority was
 * pending and fits on the node once everything that leaves it has left. A scheduler may act on what
 * it saw some time ago, and evicts several victims one after the other; so an eviction counts as
 * made for a pod if that holds at any moment from {@code tolerance} before it was announced to
 * {@code tolerance} after it began.
 *
 * @param schedulers the schedulerNames that are judged
 * @param tolerance how old a leader's view of the cluster may be: a little more than its renew
 *     deadline
 */
record EvictionMadeRoom(Set<String> schedulers, Duration tolerance) implements Rule {
  private static final String RULE = "an eviction makes room";

  @Override
  public List<Violation> violations(History history) {
    Map<String, Instant> leaving = leaving(history);
    Map<String, Eviction> open = evictions(history, leaving);
    ClusterReplay cluster = new ClusterReplay();
    Instant since = Instant.MIN;
    for (ClusterChange change : history.changes()) {
      settle(open, cluster, leaving, since, change.at());
      cluster.apply(change);
      since = change.at();
    }
    settle(open, cluster, leaving, since, history.end());
    return open.values().stream()
        .sorted(Comparator.comparing(Eviction::announced))
        .map(this::violation)
        .toList();
  }

  /**
   * An eviction.
   *
   * @param victim as it was when it was announced
   * @param announced when it was marked as a victim
   * @param began when its deletion began
   */
  private record Eviction(PodState victim, String node, Instant announced, Instant began) {}

  /** Returns the time at which each pod began to leave its node, by UID. */
  private static Map<String, Instant> leaving(History history) {
    Map<String, Instant> leaving = new HashMap<>();
    for (ClusterChange change : history.changes()) {
      if (change instanceof PodChange seen
          && (seen.deleted() || seen.pod().leaving() || seen.pod().finished())) {
        leaving.putIfAbsent(seen.pod().uid(), seen.at());
      }
    }
    return leaving;
  }

  private Map<String, Eviction> evictions(History history, Map<String, Instant> leaving) {
    Map<String, Eviction> evictions = new LinkedHashMap<>();
    for (ClusterChange change : history.changes()) {
      if (change instanceof PodChange seen
          && seen.pod().evictedBy().filter(schedulers::contains).isPresent()
          && seen.pod().node().isPresent()
          && leaving.containsKey(seen.pod().uid())) {
        PodState victim = seen.pod();
        evictions.putIfAbsent(
            victim.uid(),
            new Eviction(victim, victim.node().get(), seen.at(), leaving.get(victim.uid())));
      }
    }
    return evictions;
  }

  /** Takes out the evictions that are justified by the cluster as it was in this time. */
  private void settle(
      Map<String, Eviction> open,
      ClusterReplay cluster,
      Map<String, Instant> leaving,
      Instant from,
      Instant to) {
    List<String> justified = new ArrayList<>();
    for (Eviction eviction : open.values()) {
      Instant first = eviction.announced().minus(tolerance);
      Instant last = later(eviction.announced(), eviction.began()).plus(tolerance);
      if (!to.isBefore(first) && !from.isAfter(last)) {
        Predicate<PodState> staying =
            pod -> leaving.getOrDefault(pod.uid(), Instant.MAX).isAfter(last);
        if (makesRoom(eviction, cluster, staying)) {
          justified.add(eviction.victim().uid());
        }
      }
    }
    justified.forEach(open::remove);
  }

  private static boolean makesRoom(
      Eviction eviction, ClusterReplay cluster, Predicate<PodState> staying) {
    String scheduler = eviction.victim().evictedBy().orElseThrow();
    return cluster
        .node(eviction.node())
        .filter(
            node ->
                cluster.pendingPods().stream()
                    .filter(pod -> pod.scheduler().equals(scheduler))
                    .filter(pod -> pod.priority() > eviction.victim().priority())
                    .anyMatch(pod -> cluster.fits(pod, node, staying)))
        .isPresent();
  }

  private Violation violation(Eviction eviction) {
    PodState victim = eviction.victim();
    return new Violation(
        RULE,
        eviction.announced(),
        "%s evicted %s of priority %d from %s, and no pending pod of a higher priority fits there for it"
            .formatted(
                victim.evictedBy().orElseThrow(),
                victim.title(),
                victim.priority(),
                eviction.node()));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
