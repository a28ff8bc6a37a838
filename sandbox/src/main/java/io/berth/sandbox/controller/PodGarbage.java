package io.berth.sandbox.controller;

import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The pod garbage collector: deletes the oldest finished pods above a threshold, pods bound to
 * nodes that no longer exist, and terminating pods that were never scheduled.
 */
final class PodGarbage {
  /** The interval between runs; 20 s in a real cluster. */
  static final Duration INTERVAL = Duration.ofSeconds(1);

  /**
   * The time for which a node must be missing before its pods are deleted; 40 s in a real cluster.
   */
  private static final Duration QUARANTINE = Duration.ofSeconds(2);

  /** The number of finished pods to keep. */
  private static final int ENDED_KEPT = 12_500;

  private final Workloads workloads;
  private final int nodeField;
  private final int phaseField;

  /**
   * The missing nodes that pods are bound to, with the time each was first found missing. Confined
   * to the collector's thread.
   */
  private final Map<String, Instant> missing = new HashMap<>();

  PodGarbage(Workloads workloads) {
    this.workloads = workloads;
    this.nodeField = workloads.pods.storage().fieldPosition("spec.nodeName");
    this.phaseField = workloads.pods.storage().fieldPosition("status.phase");
  }

  void round() {
    List<StoredObject> pods = workloads.api.store().list(workloads.pods.storage(), null).objects();
    ended(pods);
    orphaned(pods);
    unscheduled(pods);
  }

  private void ended(List<StoredObject> pods) {
    List<StoredObject> ended =
        pods.stream()
            .filter(
                pod -> {
                  String phase = pod.field(phaseField);
                  return phase.equals("Succeeded") || phase.equals("Failed");
                })
            .toList();
    if (ended.size() > ENDED_KEPT) {
      Stream<StoredObject> oldestFirst =
          ended.stream()
              .sorted(
                  Comparator.comparing(
                      pod -> pod.json().path("metadata").path("creationTimestamp").asText()));
      oldestFirst.limit(ended.size() - ENDED_KEPT).forEach(this::delete);
    }
  }

  private void orphaned(List<StoredObject> pods) {
    Instant now = workloads.instant();
    Map<String, Instant> before = Map.copyOf(missing);
    missing.clear();
    for (StoredObject pod : pods) {
      String node = pod.field(nodeField);
      if (node.isEmpty()
          || workloads.get(workloads.nodes, ObjectKey.clusterScoped(node)).isPresent()) {
        continue;
      }
      Instant since = before.getOrDefault(node, now);
      missing.put(node, since);
      if (!since.plus(QUARANTINE).isAfter(now)) {
        workloads.disrupt(pod, "DeletionByPodGC", "PodGC: node no longer exists", true);
        delete(pod);
      }
    }
  }

  private void unscheduled(List<StoredObject> pods) {
    pods.stream()
        .filter(pod -> pod.field(nodeField).isEmpty() && Pods.isDeleted(pod.json()))
        .forEach(this::delete);
  }

  private void delete(StoredObject pod) {
    workloads.writer.delete(workloads.pods, pod.key(), pod.uid(), DeleteOptions.now());
  }
}
