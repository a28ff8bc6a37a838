package io.berth.demo.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The history of pods, nodes, and resource claims during a run.
 *
 * @param changes the changes in the order of their resourceVersions, with non-decreasing times
 * @param faults the faults during the run
 * @param end time at which recording ended
 * @param queues the queues of tenants during the run; none if there were none, or if they changed
 */
public record History(
    List<ClusterChange> changes, List<FaultSpan> faults, Instant end, List<TenantQueue> queues) {

  public History {
    changes = inOrder(changes);
    faults = List.copyOf(faults);
    queues = List.copyOf(queues);
  }

  /** Creates a history without queues of tenants. */
  public History(List<ClusterChange> changes, List<FaultSpan> faults, Instant end) {
    this(changes, faults, end, List.of());
  }

  /** Returns the same history with queues of tenants. */
  public History withQueues(List<TenantQueue> tenants) {
    return new History(changes, faults, end, tenants);
  }

  /** Returns the queue to which a pod belongs; empty if it names none of them. */
  Optional<TenantQueue> queueOf(PodState pod) {
    return queues.stream().filter(queue -> queue.isOf(pod)).findFirst();
  }

  /** Returns whether the limit of the pod's queue leaves room for it in a state of the cluster. */
  boolean isWithinLimit(PodState pod, ClusterReplay cluster) {
    return queueOf(pod).stream()
        .allMatch(queue -> queue.allows(cluster.usedBy(queue).plus(pod.requests())));
  }

  /** Returns the end of the last fault; without faults, the start of the history. */
  public Instant calmSince() {
    return faults.stream()
        .map(FaultSpan::ended)
        .max(Comparator.naturalOrder())
        .orElseGet(() -> changes.isEmpty() ? end : changes.getFirst().at());
  }

  /**
   * Returns the pods that are pending at the end although they would fit on an empty node, and the
   * limit of their queue leaves room for them.
   *
   * @param schedulers the schedulerNames of the pods to consider
   */
  public List<PodState> waiting(Set<String> schedulers) {
    ClusterReplay cluster = new ClusterReplay();
    changes.forEach(cluster::apply);
    return cluster.pendingPods().stream()
        .filter(pod -> schedulers.contains(pod.scheduler()))
        .filter(pod -> cluster.fitsEmptyNode(pod))
        .filter(pod -> isWithinLimit(pod, cluster))
        .toList();
  }

  /** Sorts the changes of the watches, which are not synchronized, by resourceVersion. */
  private static List<ClusterChange> inOrder(List<ClusterChange> changes) {
    List<ClusterChange> sorted = new ArrayList<>(changes);
    sorted.sort(Comparator.comparingLong(ClusterChange::version));
    Instant latest = Instant.MIN;
    for (int i = 0; i < sorted.size(); i++) {
      ClusterChange change = sorted.get(i);
      if (change.at().isBefore(latest)) {
        sorted.set(i, at(change, latest));
      } else {
        latest = change.at();
      }
    }
    return List.copyOf(sorted);
  }

  private static ClusterChange at(ClusterChange change, Instant at) {
    return switch (change) {
      case ClusterChange.PodChange pod ->
          new ClusterChange.PodChange(pod.version(), at, pod.deleted(), pod.pod());
      case ClusterChange.NodeChange node ->
          new ClusterChange.NodeChange(node.version(), at, node.deleted(), node.node());
      case ClusterChange.ClaimChange claim ->
          new ClusterChange.ClaimChange(claim.version(), at, claim.deleted(), claim.claim());
    };
  }
}
