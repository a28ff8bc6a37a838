package io.berth.sandbox.quota;

import com.fasterxml.jackson.databind.JsonNode;

/** The scopes of a ResourceQuota, which select some of the pods in a namespace. */
final class QuotaScopes {
  private QuotaScopes() {}

  /** Returns whether a quota has scopes. A quota with scopes applies only to pods. */
  static boolean hasScopes(JsonNode quotaSpec) {
    return !quotaSpec.path("scopes").isEmpty()
        || !quotaSpec.path("scopeSelector").path("matchExpressions").isEmpty();
  }

  /** Returns whether all scopes of a quota select a pod. */
  static boolean cover(JsonNode quotaSpec, JsonNode pod) {
    for (JsonNode scope : quotaSpec.path("scopes")) {
      if (!has(scope.asText(), pod)) {
        return false;
      }
    }
    for (JsonNode term : quotaSpec.path("scopeSelector").path("matchExpressions")) {
      if (!matches(term, pod)) {
        return false;
      }
    }
    return true;
  }

  private static boolean matches(JsonNode term, JsonNode pod) {
    String scope = term.path("scopeName").asText();
    String operator = term.path("operator").asText("Exists");
    if (!scope.equals("PriorityClass")) {
      return has(scope, pod) == !operator.equals("DoesNotExist");
    }
    String name = pod.path("spec").path("priorityClassName").asText("");
    boolean listed = false;
    for (JsonNode value : term.path("values")) {
      listed |= value.asText().equals(name);
    }
    return switch (operator) {
      case "In" -> !name.isEmpty() && listed;
      case "NotIn" -> !listed;
      case "DoesNotExist" -> name.isEmpty();
      default -> !name.isEmpty();
    };
  }

  private static boolean has(String scope, JsonNode pod) {
    JsonNode spec = pod.path("spec");
    return switch (scope) {
      case "Terminating" -> spec.path("activeDeadlineSeconds").asLong(-1) >= 0;
      case "NotTerminating" -> spec.path("activeDeadlineSeconds").asLong(-1) < 0;
      case "BestEffort" -> QosClass.of(spec).equals("BestEffort");
      case "NotBestEffort" -> !QosClass.of(spec).equals("BestEffort");
      case "PriorityClass" -> !spec.path("priorityClassName").asText("").isEmpty();
      case "CrossNamespacePodAffinity" -> crossesNamespaces(spec.path("affinity"));
      default -> false;
    };
  }

  private static boolean crossesNamespaces(JsonNode affinity) {
    for (String kind : new String[] {"podAffinity", "podAntiAffinity"}) {
      JsonNode terms = affinity.path(kind);
      for (JsonNode term : terms.path("requiredDuringSchedulingIgnoredDuringExecution")) {
        if (crosses(term)) {
          return true;
        }
      }
      for (JsonNode term : terms.path("preferredDuringSchedulingIgnoredDuringExecution")) {
        if (crosses(term.path("podAffinityTerm"))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean crosses(JsonNode term) {
    return !term.path("namespaces").isEmpty() || term.hasNonNull("namespaceSelector");
  }
}
