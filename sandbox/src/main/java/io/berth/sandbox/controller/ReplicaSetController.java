package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.loop.EventRecorder;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ReplicaSet controller, which also serves ReplicationControllers: keeps the desired number of
 * pods running.
 */
final class ReplicaSetController {
  private static final int BURST = 500;

  private final Workloads workloads;
  private final ResourceType type;
  private final EventRecorder events;

  /**
   * Creates a controller for one of the two kinds.
   *
   * @param component the component name in events
   */
  ReplicaSetController(Workloads workloads, ResourceType type, String component) {
    this.workloads = workloads;
    this.type = type;
    this.events = workloads.events(component);
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(type, key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    StoredObject set = found.get();
    JsonNode json = set.json();
    int wanted = json.path("spec").path("replicas").asInt(1);
    boolean more = false;
    workloads.podAdoption.claim(set);
    Optional<ApiException> failure = Optional.empty();
    if (!Pods.isDeleted(json)) {
      List<StoredObject> active = active(set);
      int missing = wanted - active.size();
      more = missing > BURST;
      if (missing > 0) {
        failure = create(set, Math.min(missing, BURST));
      } else if (missing < 0) {
        active.stream()
            .sorted(DeletionOrder.beside(related(set), workloads.instant()))
            .limit(-missing)
            .forEach(pod -> workloads.deletePod(set, pod, events));
      }
    }
    writeStatus(set, failure);
    if (failure.isPresent()) {
      throw failure.get();
    }
    long minReady = json.path("spec").path("minReadySeconds").asLong(0);
    if (more) {
      return Optional.of(Duration.ZERO);
    }
    return minReady > 0 ? Optional.of(Duration.ofSeconds(minReady)) : Optional.empty();
  }

  private List<StoredObject> active(StoredObject set) {
    return workloads.podsOf(set).stream().filter(pod -> Pods.isActive(pod.json())).toList();
  }

  /**
   * Returns the pods of all ReplicaSets of the set's Deployment; empty if the set has no
   * controller.
   */
  private List<StoredObject> related(StoredObject set) {
    return OwnedObjects.controller(set.json()).stream()
        .flatMap(owner -> workloads.ownedSets.of(owner.path("uid").asText()).stream())
        .flatMap(sibling -> workloads.podsOf(sibling).stream())
        .toList();
  }

  private Optional<ApiException> create(StoredObject set, int count) {
    JsonNode template = set.json().path("spec").path("template");
    try {
      for (int i = 0; i < count; i++) {
        workloads.createPod(set, Pods.fromTemplate(set.json(), template), events);
      }
      return Optional.empty();
    } catch (ApiException e) {
      return Optional.of(e);
    }
  }

  private void writeStatus(StoredObject set, Optional<ApiException> failure) {
    JsonNode json = set.json();
    JsonNode labels = json.path("spec").path("template").path("metadata").path("labels");
    long minReady = json.path("spec").path("minReadySeconds").asLong(0);
    Instant now = workloads.instant();
    int replicas = 0;
    int labelled = 0;
    int ready = 0;
    int available = 0;
    int terminating = 0;
    for (StoredObject pod : workloads.podsOf(set)) {
      if (Pods.isOver(pod.json())) {
        continue;
      }
      if (Pods.isDeleted(pod.json())) {
        terminating++;
        continue;
      }
      replicas++;
      labelled += carries(pod.labels(), labels) ? 1 : 0;
      ready += Pods.isReady(pod.json()) ? 1 : 0;
      available += Pods.isAvailable(pod.json(), minReady, now) ? 1 : 0;
    }
    ObjectNode status =
        json.get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    status.put("replicas", replicas);
    putPositive(status, "fullyLabeledReplicas", labelled);
    putPositive(status, "readyReplicas", ready);
    putPositive(status, "availableReplicas", available);
    if (type.equals(workloads.replicaSets)) {
      status.put("terminatingReplicas", terminating);
    }
    status.put("observedGeneration", json.path("metadata").path("generation").asLong(0));
    if (failure.isPresent()) {
      workloads.condition(
          status,
          "ReplicaFailure",
          "True",
          "FailedCreate",
          String.valueOf(failure.get().getMessage()));
    } else {
      status.remove("conditions");
    }
    workloads.status(type, set, status);
  }

  private static boolean carries(Map<String, String> labels, JsonNode wanted) {
    for (var label : wanted.properties()) {
      if (!label.getValue().asText().equals(labels.get(label.getKey()))) {
        return false;
      }
    }
    return true;
  }

  static void putPositive(ObjectNode status, String field, int count) {
    if (count > 0) {
      status.put(field, count);
    } else {
      status.remove(field);
    }
  }
}
