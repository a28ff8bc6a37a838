package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.selector.LabelSelector;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The {@code eviction} subresource of pods: a deletion that a PodDisruptionBudget can reject. */
final class Evicting {
  private static final Set<String> WITHOUT_BUDGET = Set.of("Succeeded", "Failed", "Pending");

  private final RestParts parts;
  private final ObjectPreparation preparation;
  private final Deleting deleting;

  Evicting(RestParts parts, ObjectPreparation preparation, Deleting deleting) {
    this.parts = parts;
    this.preparation = preparation;
    this.deleting = deleting;
  }

  void evict(
      Caller caller, String namespace, String name, ObjectNode eviction, DeleteOptions options) {
    String own = eviction.path("metadata").path("name").asText();
    if (!own.isEmpty() && !own.equals(name)) {
      throw Failures.badRequest("name in URL does not match name in Eviction object");
    }
    ResourceType pods = parts.registry().builtIn("", "pods");
    ObjectKey key = new ObjectKey(namespace, name);
    StoredObject pod =
        parts.store().get(pods.storage(), key).orElseThrow(() -> Failures.notFound("pods", name));
    ObjectNode json = pod.json();
    boolean budgeted =
        !WITHOUT_BUDGET.contains(json.path("status").path("phase").asText())
            && !json.path("metadata").has("deletionTimestamp");
    if (budgeted) {
      spendBudget(pod, options.dryRun());
    }
    if (!options.dryRun()) {
      markTarget(pods, key);
    }
    deleting.delete(caller, pods, namespace, name, options);
  }

  private void spendBudget(StoredObject pod, boolean dryRun) {
    ResourceType budgets = parts.registry().builtIn("policy", "poddisruptionbudgets");
    while (true) {
      List<StoredObject> matching =
          parts.store().list(budgets.storage(), pod.key().namespace()).objects().stream()
              .filter(
                  budget ->
                      LabelSelector.ofObject(budget.json().path("spec").path("selector"))
                          .matches(pod.labels()))
              .toList();
      if (matching.size() > 1) {
        throw Failures.internalPlain(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does"
                + " not support.");
      }
      if (matching.isEmpty() || unhealthyMayGo(pod.json(), matching.getFirst().json())) {
        return;
      }
      StoredObject budget = matching.getFirst();
      ObjectNode next = decremented(budget, pod.key().name());
      if (dryRun || parts.store().replace(budgets.storage(), budget, next).isPresent()) {
        return;
      }
    }
  }

  private static boolean unhealthyMayGo(JsonNode pod, JsonNode budget) {
    if (Conditions.isTrue(pod, "Ready")) {
      return false;
    }
    JsonNode status = budget.path("status");
    long desired = status.path("desiredHealthy").asLong();
    return budget.path("spec").path("unhealthyPodEvictionPolicy").asText().equals("AlwaysAllow")
        || (status.path("currentHealthy").asLong() >= desired && desired > 0);
  }

  private ObjectNode decremented(StoredObject budget, String pod) {
    ObjectNode next = budget.copy();
    JsonNode status = next.path("status");
    String name = budget.key().name();
    if (status.path("observedGeneration").asLong()
        < next.path("metadata").path("generation").asLong()) {
      throw refused("The disruption budget " + name + " is still being processed by the server.");
    }
    long allowed = status.path("disruptionsAllowed").asLong();
    if (allowed < 0) {
      throw Failures.forbidden(
          "poddisruptionbudget.policy", name, "pdb disruptions allowed is negative");
    }
    if (allowed == 0) {
      throw refused(whyNot(name, next));
    }
    ObjectNode spent = next.withObjectProperty("status");
    spent.put("disruptionsAllowed", allowed - 1);
    spent.withObjectProperty("disruptedPods").put(pod, preparation.now());
    if (allowed == 1) {
      Conditions.set(next, "DisruptionAllowed", "False", "InsufficientPods", "", preparation.now());
    }
    return next;
  }

  private static String whyNot(String name, ObjectNode budget) {
    JsonNode status = budget.path("status");
    Optional<JsonNode> condition =
        Conditions.find(budget, "DisruptionAllowed")
            .filter(
                found ->
                    found.path("status").asText().equals("False")
                        && !found.path("message").asText().isEmpty());
    if (condition.filter(found -> found.path("reason").asText().equals("SyncFailed")).isPresent()) {
      return "The disruption budget "
          + name
          + " does not allow evicting pods currently because it failed sync: "
          + condition.get().path("message").asText();
    }
    long desired = status.path("desiredHealthy").asLong();
    long current = status.path("currentHealthy").asLong();
    if (current <= desired) {
      return "The disruption budget "
          + name
          + " needs "
          + desired
          + " healthy pods and has "
          + current
          + " currently";
    }
    return condition
        .map(
            found ->
                "The disruption budget "
                    + name
                    + " does not allow evicting pods currently ("
                    + found.path("reason").asText()
                    + "): "
                    + found.path("message").asText())
        .orElse("The disruption budget " + name + " does not allow evicting pods currently");
  }

  private static ApiException refused(String cause) {
    return Failures.tooManyRequests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        List.of(new FieldError("", "DisruptionBudget", cause)));
  }

  private void markTarget(ResourceType pods, ObjectKey key) {
    while (true) {
      Optional<StoredObject> current = parts.store().get(pods.storage(), key);
      if (current.isEmpty()) {
        return;
      }
      ObjectNode next = current.get().copy();
      Conditions.set(
          next,
          "DisruptionTarget",
          "True",
          "EvictionByEvictionAPI",
          "Eviction API: evicting",
          preparation.now());
      if (parts.store().replace(pods.storage(), current.get(), next).isPresent()) {
        return;
      }
    }
  }
}
