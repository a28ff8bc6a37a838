package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.selector.LabelSelector;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The disruption controller: updates the status of PodDisruptionBudgets, including the number of
 * allowed disruptions.
 */
final class DisruptionController {
  private final Workloads workloads;
  private final ResourceType budgets;

  DisruptionController(Workloads workloads) {
    this.workloads = workloads;
    this.budgets = workloads.api.registry().builtIn("policy", "poddisruptionbudgets");
  }

  ResourceType budgets() {
    return budgets;
  }

  Optional<Duration> reconcile(ObjectKey key) {
    Optional<StoredObject> found = workloads.get(budgets, key);
    if (found.isEmpty()) {
      return Optional.empty();
    }
    StoredObject budget = found.get();
    JsonNode spec = budget.json().path("spec");
    List<StoredObject> pods = new ArrayList<>();
    int healthy = 0;
    for (StoredObject pod :
        workloads.api.store().list(workloads.pods.storage(), key.namespace()).objects()) {
      JsonNode json = pod.json();
      if (LabelSelector.ofObject(spec.path("selector")).matches(pod.labels())
          && !Pods.isOver(json)) {
        pods.add(pod);
        healthy += Pods.isReady(json) && !Pods.isDeleted(json) ? 1 : 0;
      }
    }
    int expected = pods.size();
    int desired;
    JsonNode maxUnavailable = spec.path("maxUnavailable");
    JsonNode minAvailable = spec.path("minAvailable");
    if (!maxUnavailable.isMissingNode()) {
      expected = expectedScale(pods);
      desired = Math.max(0, expected - IntOrPercent.of(maxUnavailable.asText(), expected, true));
    } else if (minAvailable.isTextual()) {
      expected = expectedScale(pods);
      desired = IntOrPercent.of(minAvailable.asText(), expected, true);
    } else {
      desired = minAvailable.asInt(1);
    }
    ObjectNode status =
        budget.json().get("status") instanceof ObjectNode old ? old.deepCopy() : Json.object();
    int allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
    status
        .put("currentHealthy", healthy)
        .put("desiredHealthy", desired)
        .put("expectedPods", expected)
        .put("disruptionsAllowed", allowed)
        .put("observedGeneration", budget.json().path("metadata").path("generation").asLong());
    boolean sufficient = allowed > 0;
    workloads.condition(
        status,
        "DisruptionAllowed",
        sufficient ? "True" : "False",
        sufficient ? "SufficientPods" : "InsufficientPods",
        "");
    for (JsonNode condition : status.path("conditions")) {
      ((ObjectNode) condition).remove("lastUpdateTime");
      ((ObjectNode) condition)
          .put("observedGeneration", status.path("observedGeneration").asLong());
    }
    workloads.status(budgets, budget, status);
    return Optional.empty();
  }

  /**
   * Returns the sum of the desired replicas of the pods' controllers. A pod without a controller
   * counts as one.
   */
  private int expectedScale(List<StoredObject> pods) {
    Map<String, Integer> scales = new HashMap<>();
    int bare = 0;
    for (StoredObject pod : pods) {
      Optional<JsonNode> owner = OwnedObjects.controller(pod.json());
      if (owner.isEmpty()) {
        bare++;
        continue;
      }
      String uid = owner.get().path("uid").asText();
      if (!scales.containsKey(uid)) {
        scales.put(uid, scale(pod.key().namespace(), owner.get()));
      }
    }
    return bare + scales.values().stream().mapToInt(Integer::intValue).sum();
  }

  private int scale(String namespace, JsonNode owner) {
    return workloads
        .api
        .registry()
        .ofKind(owner.path("apiVersion").asText(), owner.path("kind").asText())
        .flatMap(type -> workloads.get(type, type.key(namespace, owner.path("name").asText())))
        .map(stored -> stored.json().path("spec"))
        .map(spec -> spec.path("replicas").asInt(spec.path("parallelism").asInt(1)))
        .orElse(0);
  }
}
