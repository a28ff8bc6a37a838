package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;

/**
 * matchLabelKeys and mismatchLabelKeys: on creation the API server turns them into requirements of
 * the term's own label selector, with the values of the pod's labels. Doing it twice changes
 * nothing.
 */
final class LabelKeys {
  private LabelKeys() {}

  static void merge(ObjectNode pod) {
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
    for (JsonNode constraint : spec.path("topologySpreadConstraints")) {
      mergeTerm(constraint, labels);
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
        ArrayNode expressions = selector.withArray("matchExpressions");
        if (!contains(expressions, requirement)) {
          expressions.add(requirement);
        }
      }
    }
  }

  private static boolean contains(ArrayNode expressions, ObjectNode requirement) {
    for (JsonNode expression : expressions) {
      if (expression.equals(requirement)) {
        return true;
      }
    }
    return false;
  }
}
