package io.berth.sandbox.selector;

import com.fasterxml.jackson.databind.JsonNode;

/** Evaluation of nodeSelector and required node affinity on a node. */
public final class NodeTerms {
  private NodeTerms() {}

  /** Returns whether a node has what a pod spec requires of its labels and name. */
  public static boolean match(JsonNode spec, JsonNode node) {
    JsonNode labels = node.path("metadata").path("labels");
    for (var entry : spec.path("nodeSelector").properties()) {
      if (!entry.getValue().asText().equals(labels.path(entry.getKey()).asText(null))) {
        return false;
      }
    }
    JsonNode required =
        spec.path("affinity")
            .path("nodeAffinity")
            .path("requiredDuringSchedulingIgnoredDuringExecution");
    if (!required.isObject()) {
      return true;
    }
    for (JsonNode term : required.path("nodeSelectorTerms")) {
      if (termMatches(term, node, labels)) {
        return true;
      }
    }
    return false;
  }

  private static boolean termMatches(JsonNode term, JsonNode node, JsonNode labels) {
    JsonNode expressions = term.path("matchExpressions");
    JsonNode fields = term.path("matchFields");
    if (expressions.isEmpty() && fields.isEmpty()) {
      return false;
    }
    for (JsonNode expression : expressions) {
      JsonNode value = labels.path(expression.path("key").asText());
      if (!holds(expression, value)) {
        return false;
      }
    }
    for (JsonNode field : fields) {
      if (!field.path("key").asText().equals("metadata.name")
          || !holds(field, node.path("metadata").path("name"))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode expression, JsonNode value) {
    boolean there = !value.isMissingNode();
    return switch (expression.path("operator").asText()) {
      case "In" -> there && lists(expression, value.asText());
      case "NotIn" -> !there || !lists(expression, value.asText());
      case "Exists" -> there;
      case "DoesNotExist" -> !there;
      case "Gt" -> there && compare(value.asText(), expression) > 0;
      case "Lt" -> there && compare(value.asText(), expression) < 0;
      default -> false;
    };
  }

  private static boolean lists(JsonNode expression, String value) {
    for (JsonNode one : expression.path("values")) {
      if (one.asText().equals(value)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Compares a label value with the bound of a Gt or Lt expression. Returns 0, which satisfies
   * neither operator, if one of them is not an integer.
   */
  private static int compare(String value, JsonNode expression) {
    String bound = expression.path("values").path(0).asText("");
    if (!value.matches("-?[0-9]{1,18}") || !bound.matches("-?[0-9]{1,18}")) {
      return 0;
    }
    return Long.compare(Long.parseLong(value), Long.parseLong(bound));
  }
}
