package io.berth.demo.history;

import io.berth.demo.history.ClusterChange.PodChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The rule that the pods of one scheduler on a node never request more than is allocatable.
 * Schedulers cannot know each other's latest bindings, so each is checked against its own pods
 * only. The check is made at each binding, because a node may shrink later.
 *
 * @param schedulers the schedulerNames to check
 */
record NotOvercommitted(Set<String> schedulers) implements Rule {
  private static final String RULE = "a scheduler does not overcommit a node";

  @Override
  public List<Violation> violations(History history) {
    List<Violation> found = new ArrayList<>();
    ClusterReplay cluster = new ClusterReplay();
    for (ClusterChange change : history.changes()) {
      Optional<PodState> bound = boundBy(change, cluster);
      cluster.apply(change);
      bound.flatMap(pod -> judge(pod, change, cluster)).ifPresent(found::add);
    }
    return found;
  }

  private Optional<PodState> boundBy(ClusterChange change, ClusterReplay before) {
    if (change instanceof PodChange seen
        && !seen.deleted()
        && schedulers.contains(seen.pod().scheduler())
        && seen.pod().node().isPresent()
        && before.pod(seen.pod().uid()).flatMap(PodState::node).isEmpty()) {
      return Optional.of(seen.pod());
    }
    return Optional.empty();
  }

  private static Optional<Violation> judge(
      PodState pod, ClusterChange change, ClusterReplay cluster) {
    String node = pod.node().orElseThrow();
    Amounts allocatable = cluster.node(node).map(NodeState::allocatable).orElse(Amounts.NONE);
    Amounts requested = cluster.requested(node, other -> other.scheduler().equals(pod.scheduler()));
    if (requested.fitInto(allocatable)) {
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
