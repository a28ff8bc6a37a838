package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The checks that several rules share, and the violations that they find. */
final class Checks {
  private static final int HIGHEST_WEIGHT = 100;

  private final Knowledge knowledge;
  private final List<Violation> violations = new ArrayList<>();

  Checks(Knowledge knowledge) {
    this.knowledge = knowledge;
  }

  List<Violation> violations() {
    return List.copyOf(violations);
  }

  void add(Violation violation) {
    violations.add(violation);
  }

  static boolean isAbsent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  /** Returns the string value; empty if it is absent, as in the API server. */
  static String text(JsonNode value) {
    return value.asText("");
  }

  boolean isKnown(JsonNode value) {
    return knowledge.isKnown(value);
  }

  boolean isOne(JsonNode item) {
    return knowledge.isOne(item);
  }

  /** Returns whether a list may have this number of items, given the known values. */
  boolean mayHave(JsonNode list, int size) {
    int certain = 0;
    for (JsonNode item : list) {
      if (!isOne(item)) {
        return true;
      }
      certain++;
    }
    return certain == size;
  }

  /** Returns whether a list is certain to have items. */
  boolean hasSome(JsonNode list) {
    for (JsonNode item : list) {
      if (!isOne(item)) {
        return false;
      }
    }
    return !list.isEmpty();
  }

  /** Checks the values of an operator that compares with a set. */
  void setOperator(JsonNode expression, String operator, String path) {
    JsonNode values = expression.path("values");
    switch (operator) {
      case "In", "NotIn" -> {
        if (values.isEmpty()) {
          add(
              Violation.required(
                  path + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (hasSome(values)) {
          add(
              Violation.forbidden(
                  path + ".values",
                  "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
      }
      default ->
          add(Violation.invalid(path + ".operator", operator, "not a valid selector operator"));
    }
  }

  void labels(JsonNode labels, String path) {
    for (Map.Entry<String, JsonNode> label : labels.properties()) {
      String name = label.getKey();
      if (!knowledge.isField(name)) {
        continue;
      }
      invalid(path, path, name, LabelSyntax.ofLabelName(name));
      if (isKnown(label.getValue())) {
        String value = text(label.getValue());
        invalid(path + "[" + name + "]", path, value, LabelSyntax.ofLabelValue(value));
      }
    }
  }

  void labelName(JsonNode name, String path) {
    if (isKnown(name)) {
      invalid(path, path, text(name), LabelSyntax.ofLabelName(text(name)));
    }
  }

  void labelValues(JsonNode values, String path) {
    for (int i = 0; i < values.size(); i++) {
      JsonNode value = values.get(i);
      if (isKnown(value)) {
        String at = path + "[" + i + "]";
        invalid(at, at, text(value), LabelSyntax.ofLabelValue(text(value)));
      }
    }
  }

  void weight(JsonNode weight, String path) {
    if (isKnown(weight) && (weight.asInt() <= 0 || weight.asInt() > HIGHEST_WEIGHT)) {
      add(Violation.invalid(path, weight.asInt(), "must be in the range 1-100"));
    }
  }

  void positive(JsonNode number, String path) {
    if (isKnown(number) && number.asLong() <= 0) {
      add(Violation.invalid(path, number.asLong(), "must be greater than zero"));
    }
  }

  void oneOf(JsonNode value, List<String> supported, String path) {
    if (isKnown(value) && !supported.contains(text(value))) {
      add(Violation.unsupported(path, text(value), supported));
    }
  }

  void invalid(String place, String reportedPlace, String value, List<String> details) {
    for (String detail : details) {
      add(Violation.invalid(place, reportedPlace, value, detail));
    }
  }
}
