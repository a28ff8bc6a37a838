package io.berth.demo.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The history of pods and nodes during a run.
 *
 * @param changes in the order of their versions, at times that never go backwards
 * @param faults what was disturbed meanwhile
 * @param end when recording ended
 */
public record History(List<ClusterChange> changes, List<FaultSpan> faults, Instant end) {

  public History {
    changes = inOrder(changes);
    faults = List.copyOf(faults);
  }

  /** Returns when the last fault was over; without faults, when the history begins. */
  public Instant calmSince() {
    return faults.stream()
        .map(FaultSpan::ended)
        .max(Comparator.naturalOrder())
        .orElseGet(() -> changes.isEmpty() ? end : changes.getFirst().at());
  }

  /**
   * Returns the pods that are pending at the end although an empty node would take them.
   *
   * @param schedulers the schedulerNames whose pods are meant
   */
  public List<PodState> waiting(Set<String> schedulers) {
    ClusterReplay cluster = new ClusterReplay();
    changes.forEach(cluster::apply);
    return cluster.pendingPods().stream()
        .filter(pod -> schedulers.contains(pod.scheduler()))
        .filter(pod -> cluster.fitsEmptyNode(pod))
        .toList();
  }

  /** Two watches report at their own pace: the versions say what came first. */
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
    };
  }
}
