package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The taint eviction controller: deletes pods that do not tolerate the NoExecute taints of their
 * node. Pods that tolerate them for a limited time are deleted after the shortest {@code
 * tolerationSeconds}.
 */
final class TaintEviction {
  private final Workloads workloads;
  private final EventRecorder events;

  /** The nodes with a NoExecute taint. Written by the node feed. */
  private final Set<String> tainted = ConcurrentHashMap.newKeySet();

  /**
   * The time from which the tolerationSeconds of a pod count, by pod UID. Written by the work
   * queue.
   */
  private final Map<String, Instant> since = new ConcurrentHashMap<>();

  TaintEviction(Workloads workloads) {
    this.workloads = workloads;
    this.events = workloads.events("taint-eviction-controller");
  }

  /** Returns the pods to reconcile after their node has changed. */
  List<StoredObject> nodeChanged(StoredObject node) {
    String name = node.key().name();
    boolean before = tainted.contains(name);
    boolean now = !taints(node.json()).isEmpty();
    if (now) {
      tainted.add(name);
    } else {
      tainted.remove(name);
    }
    return before || now ? workloads.podsOn(name) : List.of();
  }

  boolean concerns(StoredObject pod) {
    return !tainted.isEmpty()
        && tainted.contains(pod.json().path("spec").path("nodeName").asText());
  }

  private static List<JsonNode> taints(JsonNode node) {
    List<JsonNode> taints = new ArrayList<>();
    for (JsonNode taint : node.path("spec").path("taints")) {
      if (taint.path("effect").asText().equals("NoExecute")) {
        taints.add(taint);
      }
    }
    return taints;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(workloads.pods, key);
    if (found.isEmpty() || Pods.isDeleted(found.get().json())) {
      return Optional.empty();
    }
    StoredObject pod = found.get();
    String node = pod.json().path("spec").path("nodeName").asText();
    List<JsonNode> taints =
        node.isEmpty()
            ? List.of()
            : workloads
                .get(workloads.nodes, ObjectKey.clusterScoped(node))
                .map(stored -> taints(stored.json()))
                .orElse(List.of());
    if (taints.isEmpty()) {
      since.remove(pod.uid());
      return Optional.empty();
    }
    Optional<Duration> patience = patience(pod.json(), taints);
    if (patience.isEmpty()) {
      since.remove(pod.uid());
      return Optional.empty();
    }
    Instant start = since.computeIfAbsent(pod.uid(), uid -> workloads.instant());
    Duration left = Duration.between(workloads.instant(), start.plus(patience.get()));
    if (left.isPositive()) {
      return Optional.of(left);
    }
    since.remove(pod.uid());
    evict(pod);
    return Optional.empty();
  }

  private void evict(StoredObject pod) {
    events.normal(
        pod.json(),
        "TaintManagerEviction",
        "Marking for deletion Pod " + pod.key().namespace() + "/" + pod.key().name());
    workloads.disrupt(
        pod, "DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint", false);
    workloads.writer.delete(workloads.pods, pod.key(), pod.uid(), DeleteOptions.plain());
  }

  /** Returns how long a pod tolerates these taints; empty if without limit. */
  private static Optional<Duration> patience(JsonNode pod, List<JsonNode> taints) {
    Optional<Duration> shortest = Optional.empty();
    for (JsonNode taint : taints) {
      Optional<JsonNode> toleration = Tolerations.of(pod.path("spec"), taint);
      if (toleration.isEmpty()) {
        return Optional.of(Duration.ZERO);
      }
      JsonNode seconds = toleration.get().path("tolerationSeconds");
      if (seconds.isNumber()) {
        Duration own = Duration.ofSeconds(Math.max(0, seconds.asLong()));
        if (shortest.isEmpty() || own.compareTo(shortest.get()) < 0) {
          shortest = Optional.of(own);
        }
      }
    }
    return shortest;
  }
}
