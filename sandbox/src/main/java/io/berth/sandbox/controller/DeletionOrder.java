package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The order in which a ReplicaSet deletes surplus pods, as defined by {@code ActivePodsWithRanks}
 * of kube-controller-manager. Deleted first are pods that have no node, then those that are not
 * running, are not ready, have a lower deletion cost, share their node with more related pods, have
 * been ready for a shorter time, have restarted more often, and are younger. Times are compared by
 * powers of two.
 *
 * @param related the number of active pods on each node that belong to a ReplicaSet of the same
 *     Deployment
 * @param now the time at which ages are measured
 */
record DeletionOrder(Map<String, Integer> related, Instant now)
    implements Comparator<StoredObject> {
  private static final List<String> PHASES = List.of("Pending", "Unknown", "Running");

  /**
   * Returns the deletion order of a ReplicaSet, given its own pods and those of its sibling
   * ReplicaSets.
   */
  static DeletionOrder beside(List<StoredObject> relatedPods, Instant now) {
    Map<String, Integer> related = new HashMap<>();
    for (StoredObject pod : relatedPods) {
      if (Pods.isActive(pod.json())) {
        related.merge(node(pod), 1, Integer::sum);
      }
    }
    return new DeletionOrder(Map.copyOf(related), now);
  }

  @Override
  public int compare(StoredObject left, StoredObject right) {
    int order =
        Comparator.<StoredObject, Boolean>comparing(pod -> !node(pod).isEmpty())
            .thenComparing(pod -> PHASES.indexOf(pod.json().path("status").path("phase").asText()))
            .thenComparing(pod -> Pods.isReady(pod.json()))
            .thenComparing(DeletionOrder::cost)
            .thenComparing(pod -> -related.getOrDefault(node(pod), 0))
            .compare(left, right);
    if (order == 0) {
      order = byAge(left, Pods.readySince(left.json()), right, Pods.readySince(right.json()));
    }
    if (order == 0) {
      order = Integer.compare(restarts(right.json()), restarts(left.json()));
    }
    return order == 0 ? byAge(left, created(left), right, created(right)) : order;
  }

  /**
   * Compares ages by the power of two of their nanoseconds and breaks ties by UID, so that the
   * youngest pod is not always the one deleted.
   */
  private int byAge(
      StoredObject left, @Nullable String since, StoredObject right, @Nullable String otherSince) {
    if (since == null || otherSince == null || since.equals(otherSince)) {
      return 0;
    }
    int order = Integer.compare(power(since), power(otherSince));
    return order == 0 ? left.uid().compareTo(right.uid()) : order;
  }

  private int power(String since) {
    long nanos = Duration.between(Instant.parse(since), now).toNanos();
    return nanos > 0 ? Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) : -1;
  }

  private static String node(StoredObject pod) {
    return pod.json().path("spec").path("nodeName").asText();
  }

  private static String created(StoredObject pod) {
    return pod.json().path("metadata").path("creationTimestamp").asText();
  }

  private static int cost(StoredObject pod) {
    return pod.json()
        .path("metadata")
        .path("annotations")
        .path("controller.kubernetes.io/pod-deletion-cost")
        .asInt(0);
  }

  /** Returns the highest restart count of the pod's containers. */
  private static int restarts(JsonNode pod) {
    int most = 0;
    for (JsonNode container : pod.path("status").path("containerStatuses")) {
      most = Math.max(most, container.path("restartCount").asInt());
    }
    return most;
  }
}
