package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.NodeChange;
import io.berth.demo.history.ClusterChange.PodChange;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rule that the pods of one scheduler on a node never request more than is allocatable.
 * Schedulers cannot know each other's latest bindings, so each is checked against its own pods
 * only. The check is made at each binding that was seen, because a node may shrink later, and about
 * the resources that the pod requests, because others do not keep it from a node that has shrunk; a
 * node may also have shrunk or vanished so recently that the scheduler cannot know.
 *
 * @param schedulers the schedulerNames to check
 * @param staleness allowed age of a leader's view of the cluster
 */
record NotOvercommitted(Set<String> schedulers, Duration staleness) implements Rule {
  private static final String RULE = "a scheduler does not overcommit a node";

  /** The resources of a node until it changed. */
  private record Former(Amounts allocatable, Instant until) {}

  @Override
  public List<Violation> violations(History history) {
    List<Violation> found = new ArrayList<>();
    ClusterReplay cluster = new ClusterReplay();
    Map<String, List<Former>> former = new HashMap<>();
    for (ClusterChange change : history.changes()) {
      Optional<PodState> bound = boundBy(change, cluster);
      if (change instanceof NodeChange seen) {
        cluster
            .node(seen.node().name())
            .ifPresent(
                before ->
                    former
                        .computeIfAbsent(before.name(), name -> new ArrayList<>())
                        .add(new Former(before.allocatable(), change.at())));
      }
      cluster.apply(change);
      bound.flatMap(pod -> judge(pod, change, cluster, former)).ifPresent(found::add);
    }
    return found;
  }

  private Optional<PodState> boundBy(ClusterChange change, ClusterReplay before) {
    if (change instanceof PodChange seen
        && !seen.deleted()
        && schedulers.contains(seen.pod().scheduler())
        && seen.pod().node().isPresent()
        && before.pod(seen.pod().uid()).filter(pod -> pod.node().isEmpty()).isPresent()) {
      return Optional.of(seen.pod());
    }
    return Optional.empty();
  }

  private Optional<Violation> judge(
      PodState pod, ClusterChange change, ClusterReplay cluster, Map<String, List<Former>> former) {
    String node = pod.node().orElseThrow();
    Amounts allocatable = cluster.node(node).map(NodeState::allocatable).orElse(Amounts.NONE);
    Amounts requested =
        cluster
            .requested(node, other -> other.scheduler().equals(pod.scheduler()))
            .of(pod.requests());
    boolean fitted =
        former.getOrDefault(node, List.of()).stream()
            .filter(before -> !before.until().plus(staleness).isBefore(change.at()))
            .anyMatch(before -> requested.fitInto(before.allocatable()));
    if (fitted || requested.fitInto(allocatable)) {
      return Optional.empty();
    }
    return Optional.of(
        new Violation(
            RULE,
            change.at(),
            "with %s, the pods of %s on %s request %s, but the node has %s"
                .formatted(pod.title(), pod.scheduler(), node, requested, allocatable)));
  }
}
