package io.berth.sandbox.selector;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Matching of labels against a metav1.LabelSelector in an object: matchLabels and matchExpressions.
 */
public final class ObjectLabelSelector {
  private ObjectLabelSelector() {}

  /**
   * Returns whether labels match. An empty selector matches everything, and a missing one (a
   * missing node or null) matches nothing.
   */
  public static boolean matches(JsonNode selector, Map<String, String> labels) {
    if (selector.isMissingNode() || selector.isNull()) {
      return false;
    }
    for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
      if (!label.getValue().asText().equals(labels.get(label.getKey()))) {
        return false;
      }
    }
    for (JsonNode expression : selector.path("matchExpressions")) {
      if (!holds(expression, labels.get(expression.path("key").asText()))) {
        return false;
      }
    }
    return true;
  }

  private static boolean holds(JsonNode expression, @Nullable String value) {
    return switch (expression.path("operator").asText()) {
      case "In" -> value != null && lists(expression, value);
      case "NotIn" -> value == null || !lists(expression, value);
      case "Exists" -> value != null;
      case "DoesNotExist" -> value == null;
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
}
