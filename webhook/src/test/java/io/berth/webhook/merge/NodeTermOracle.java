package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Evaluates required node affinity with a direct implementation of the Kubernetes API reference.
 */
final class NodeTermOracle {
  private NodeTermOracle() {}

  /**
   * Returns whether a pod may run on a node: it has no required affinity, or one of the terms
   * matches.
   */
  static boolean allows(JsonNode podSpec, String nodeName, Map<String, String> nodeLabels) {
    JsonNode required =
        podSpec.at("/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution");
    if (!required.isObject()) {
      return true;
    }
    for (JsonNode term : required.path("nodeSelectorTerms")) {
      if (matches(term, nodeName, nodeLabels)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matches(JsonNode term, String nodeName, Map<String, String> labels) {
    JsonNode expressions = term.path("matchExpressions");
    JsonNode fields = term.path("matchFields");
    if (expressions.isEmpty() && fields.isEmpty()) {
      return false;
    }
    for (JsonNode expression : expressions) {
      if (!holds(expression, labels)) {
        return false;
      }
    }
    for (JsonNode field : fields) {
      if (!holds(field, Map.of("metadata.name", nodeName))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode requirement, Map<String, String> labels) {
    String value = labels.get(requirement.path("key").asText());
    Set<String> values = new HashSet<>();
    requirement.path("values").forEach(each -> values.add(each.asText()));
    return switch (requirement.path("operator").asText()) {
      case "In" -> value != null && values.contains(value);
      case "NotIn" -> value == null || !values.contains(value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
      case "Gt" -> value != null && Long.parseLong(value) > Long.parseLong(only(values));
      case "Lt" -> value != null && Long.parseLong(value) < Long.parseLong(only(values));
      default -> throw new IllegalArgumentException(requirement.toString());
    };
  }

  private static String only(Set<String> values) {
    return values.iterator().next();
  }
}
