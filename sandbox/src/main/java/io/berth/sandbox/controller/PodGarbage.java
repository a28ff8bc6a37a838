package io.berth.sandbox.controller;

import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.Optional;

/** Fails and deletes the pods of nodes that are gone, as the pod garbage collector. */
final class PodGarbage {
  /**
   * How long a node may be away before its pods go; the real collector waits 40 s and looks every
   * 20 s.
   */
  static final Duration QUARANTINE = Duration.ofSeconds(2);

  private final Workloads workloads;

  PodGarbage(Workloads workloads) {
    this.workloads = workloads;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> pod = workloads.get(workloads.pods, key);
    if (pod.isPresent()) {
      String node = pod.get().json().path("spec").path("nodeName").asText();
      if (!node.isEmpty()
          && workloads.get(workloads.nodes, ObjectKey.clusterScoped(node)).isEmpty()) {
        workloads.disrupt(pod.get(), "DeletionByPodGC", "PodGC: node no longer exists", true);
        workloads.writer.delete(workloads.pods, key, pod.get().uid(), DeleteOptions.now());
      }
    }
    return Optional.empty();
  }
}
