package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Cell formats shared by several tables. */
final class Cells {
  static final String NONE = "<none>";

  private Cells() {}

  static String name(JsonNode object) {
    return object.path("metadata").path("name").asText();
  }

  static String orNone(String text) {
    return text.isEmpty() ? NONE : text;
  }

  /** Returns a field of all containers, comma-separated. */
  static String containers(JsonNode podSpec, String field) {
    StringJoiner joined = new StringJoiner(",");
    podSpec.path("containers").forEach(container -> joined.add(container.path(field).asText()));
    return joined.toString();
  }

  /** Formats a metav1.LabelSelector as kubectl does. */
  static String selector(JsonNode selector) {
    if (selector.isMissingNode() || selector.isNull()) {
      return NONE;
    }
    List<String> parts = new ArrayList<>();
    selector
        .path("matchLabels")
        .properties()
        .forEach(label -> parts.add(label.getKey() + "=" + label.getValue().asText()));
    for (JsonNode expression : selector.path("matchExpressions")) {
      StringJoiner values = new StringJoiner(",", "(", ")");
      expression.path("values").forEach(value -> values.add(value.asText()));
      String key = expression.path("key").asText();
      parts.add(
          switch (expression.path("operator").asText()) {
            case "In" -> key + " in " + values;
            case "NotIn" -> key + " notin " + values;
            case "Exists" -> key;
            default -> "!" + key;
          });
    }
    return orNone(String.join(",", parts.stream().sorted().toList()));
  }

  /** Formats a map of labels as kubectl does. */
  static String labels(JsonNode labels) {
    List<String> parts = new ArrayList<>();
    labels
        .properties()
        .forEach(label -> parts.add(label.getKey() + "=" + label.getValue().asText()));
    return orNone(String.join(",", parts.stream().sorted().toList()));
  }
}
