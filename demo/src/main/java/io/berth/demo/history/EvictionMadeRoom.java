package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The rule that every eviction makes room: a pod of the same scheduler with a higher priority was
 * pending, and it fits on the node once all terminating pods are gone. A scheduler may act on
 * outdated state, and it evicts several victims one after the other. An eviction is therefore
 * justified if this holds at any time from {@code tolerance} before it was announced to {@code
 * tolerance} after it began.
 *
 * @param schedulers the schedulerNames to check
 * @param tolerance allowed age of a leader's view of the cluster: a little more than its renew
 *     deadline
 * @param byPriority false if queues of tenants may take resources back whatever the priorities are
 */
record EvictionMadeRoom(Set<String> schedulers, Duration tolerance, boolean byPriority)
    implements Rule {
  private static final String RULE = "an eviction makes room";

  @Override
  public List<Violation> violations(History history) {
    Map<String, Instant> leaving = leaving(history);
    Map<String, Eviction> open = new LinkedHashMap<>();
    Deque<Eviction> later =
        new ArrayDeque<>(
            evictions(history, leaving).values().stream()
                .sorted(Comparator.comparing(Eviction::announced))
                .toList());
    List<Eviction> unjustified = new ArrayList<>();
    ClusterReplay cluster = new ClusterReplay();
    Instant since = Instant.MIN;
    for (ClusterChange change : history.changes()) {
      open(later, open, change.at());
      settle(open, cluster, leaving, since, change.at());
      close(open, change.at(), unjustified);
      cluster.apply(change);
      since = change.at();
    }
    open(later, open, history.end());
    settle(open, cluster, leaving, since, history.end());
    unjustified.addAll(open.values());
    return unjustified.stream()
        .sorted(Comparator.comparing(Eviction::announced))
        .map(this::violation)
        .toList();
  }

  /**
   * An eviction.
   *
   * @param victim the pod when the eviction was announced
   * @param announced time at which the pod was marked as a victim
   * @param began time at which its deletion began
   */
  private record Eviction(PodState victim, String node, Instant announced, Instant began) {}

  /** Returns the time at which each pod started to terminate, by UID. */
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

  /** Takes the evictions whose time begins before an instant. */
  private void open(Deque<Eviction> later, Map<String, Eviction> open, Instant until) {
    while (!later.isEmpty() && !later.peek().announced().minus(tolerance).isAfter(until)) {
      Eviction eviction = later.remove();
      open.put(eviction.victim().uid(), eviction);
    }
  }

  /** Moves the evictions whose time is over to the unjustified ones. */
  private void close(Map<String, Eviction> open, Instant now, List<Eviction> unjustified) {
    open.values()
        .removeIf(
            eviction ->
                later(eviction.announced(), eviction.began()).plus(tolerance).isBefore(now)
                    && unjustified.add(eviction));
  }

  /** Removes the evictions that are justified by the state of the cluster in this period. */
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

  private boolean makesRoom(Eviction eviction, ClusterReplay cluster, Predicate<PodState> staying) {
    String scheduler = eviction.victim().evictedBy().orElseThrow();
    return cluster
        .node(eviction.node())
        .filter(
            node ->
                cluster.pendingPods().stream()
                    .filter(pod -> pod.scheduler().equals(scheduler))
                    .filter(pod -> mayEvict(pod, eviction.victim()))
                    .anyMatch(pod -> cluster.fits(pod, node, staying)))
        .isPresent();
  }

  /** Returns whether a pod may evict another one: between queues, priorities do not count. */
  private boolean mayEvict(PodState pod, PodState victim) {
    return !byPriority || !pod.queue().equals(victim.queue()) || pod.priority() > victim.priority();
  }

  private Violation violation(Eviction eviction) {
    PodState victim = eviction.victim();
    return new Violation(
        RULE,
        eviction.announced(),
        "%s evicted %s of priority %d from %s, but this makes room for no pending pod%s"
            .formatted(
                victim.evictedBy().orElseThrow(),
                victim.title(),
                victim.priority(),
                eviction.node(),
                byPriority ? " with a higher priority" : ""));
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }
}
