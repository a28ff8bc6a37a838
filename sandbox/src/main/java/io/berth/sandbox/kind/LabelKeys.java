package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;

/**
 * Merging of matchLabelKeys and mismatchLabelKeys: when a pod is created, the API server adds them
 * to the label selector of their term as requirements with the values of the pod's labels.
 */
final class LabelKeys {
  private LabelKeys() {}

  /**
   * Merges the keys of a new pod, in place.
   *
   * @param constraints whether the keys of topology spread constraints are merged as well
   */
  static void merge(ObjectNode pod, boolean constraints) {
    JsonNode labels = pod.path("metadata").path("labels");
    JsonNode spec = pod.path("spec");
    for (String affinity : new String[] {"podAffinity", "podAntiAffinity"}) {
      JsonNode terms = spec.path("affinity").path(affinity);
      for (JsonNode preferred : terms.path("preferredDuringSchedulingIgnoredDuringExecution")) {
        mergeTerm(preferred.path("podAffinityTerm"), labels);
      }
      for (JsonNode required : terms.path("requiredDuringSchedulingIgnoredDuringExecution")) {
        mergeTerm(required, labels);
      }
    }
    if (constraints) {
      for (JsonNode constraint : spec.path("topologySpreadConstraints")) {
        mergeTerm(constraint, labels);
      }
    }
  }

  private static void mergeTerm(JsonNode term, JsonNode labels) {
    if (term.get("labelSelector") instanceof ObjectNode selector) {
      mergeKeys(selector, term.path("matchLabelKeys"), "In", labels);
      mergeKeys(selector, term.path("mismatchLabelKeys"), "NotIn", labels);
    }
  }

  private static void mergeKeys(
      ObjectNode selector, JsonNode keys, String operator, JsonNode labels) {
    for (JsonNode key : keys) {
      JsonNode value = labels.get(key.asText());
      if (value != null) {
        ObjectNode requirement = Json.object();
        requirement.put("key", key.asText()).put("operator", operator);
        requirement.putArray("values").add(value);
        selector.withArray("matchExpressions").add(requirement);
      }
    }
  }
}
