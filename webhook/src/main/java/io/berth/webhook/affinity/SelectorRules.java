package io.berth.webhook.affinity;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.crds.schema.LabelSyntax;
import java.math.BigInteger;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The API server's rules for node selector terms and label selectors. */
final class SelectorRules {

  private final FieldErrors errors;

  SelectorRules(FieldErrors errors) {
    this.errors = errors;
  }

  /**
   * Checks a node selector term.
   *
   * @param checkValues whether values must be label values: they must in required terms, not in
   *     preferred ones
   */
  void nodeTerm(JsonNode term, boolean checkValues, String path) {
    JsonNode expressions = term.path("matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      nodeExpression(expressions.get(i), checkValues, path + ".matchExpressions[" + i + "]");
    }
    JsonNode fields = term.path("matchFields");
    for (int i = 0; i < fields.size(); i++) {
      nodeField(fields.get(i), path + ".matchFields[" + i + "]");
    }
  }

  private void nodeExpression(JsonNode expression, boolean checkValues, String path) {
    JsonNode operator = expression.path("operator");
    int size = Tree.size(expression.path("values"));
    if (Tree.isKnown(operator)
        && (operator.asText().equals("Gt") || operator.asText().equals("Lt"))) {
      if (size >= 0 && size != 1) {
        errors.required(
            path + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
      } else if (size == 1) {
        comparable(expression.path("values").get(0), path + ".values[0]");
      }
    } else if (Tree.isKnown(operator)) {
      setOperator(operator.asText(), size, path);
    }
    labelName(expression.path("key"), path + ".key");
    if (checkValues) {
      labelValues(expression.path("values"), path + ".values");
    }
  }

  /**
   * The API server takes any value here, but a node selector with another is an error that matches
   * nothing.
   */
  private void comparable(JsonNode value, String path) {
    if (!Tree.isKnown(value)) {
      return;
    }
    String text = value.asText();
    if (!isInteger(text)) {
      errors.invalid(path, text, "must be a 64-bit integer when `operator` is 'Lt' or 'Gt'");
    }
  }

  /**
   * Returns whether a string is a decimal integer of 64 bits, as Go's {@code strconv.ParseInt}
   * reads it.
   */
  static boolean isInteger(String text) {
    return text.matches("[+-]?[0-9]{1,20}") && new BigInteger(text).bitLength() < Long.SIZE;
  }

  private void setOperator(String operator, int size, String path) {
    switch (operator) {
      case "In", "NotIn" -> {
        if (size == 0) {
          errors.required(path + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (size > 0) {
          errors.forbidden(
              path + ".values",
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
        }
      }
      default -> errors.invalid(path + ".operator", operator, "not a valid selector operator");
    }
  }

  private void nodeField(JsonNode expression, String path) {
    JsonNode operator = expression.path("operator");
    if (Tree.isKnown(operator)) {
      if (!operator.asText().equals("In") && !operator.asText().equals("NotIn")) {
        errors.invalid(path + ".operator", operator.asText(), "not a valid selector operator");
      } else {
        int size = Tree.size(expression.path("values"));
        if (size >= 0 && size != 1) {
          errors.required(
              path + ".values",
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
        }
      }
    }
    JsonNode key = expression.path("key");
    if (!Tree.isKnown(key)) {
      return;
    }
    if (!key.asText().equals("metadata.name")) {
      errors.invalid(path + ".key", key.asText(), "not a valid field selector key");
      return;
    }
    JsonNode values = expression.path("values");
    for (int i = 0; i < values.size(); i++) {
      if (Tree.isKnown(values.get(i))) {
        String name = values.get(i).asText();
        errors.invalid(path + ".values[" + i + "]", name, LabelSyntax.ofSubdomain(name));
      }
    }
  }

  /** Checks a label selector; nothing if it is absent. */
  void labelSelector(JsonNode selector, String path) {
    for (Map.Entry<String, JsonNode> label : selector.path("matchLabels").properties()) {
      String name = label.getKey();
      if (name.equals(Tree.CONDITION)) {
        continue;
      }
      errors.invalid(path + ".matchLabels", name, LabelSyntax.ofLabelName(name));
      if (Tree.isKnown(label.getValue())) {
        String value = label.getValue().asText();
        errors.invalid(path + ".matchLabels[" + name + "]", value, LabelSyntax.ofLabelValue(value));
      }
    }
    JsonNode expressions = selector.path("matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      JsonNode expression = expressions.get(i);
      String at = path + ".matchExpressions[" + i + "]";
      if (Tree.isKnown(expression.path("operator"))) {
        setOperator(Tree.text(expression, "operator"), Tree.size(expression.path("values")), at);
      }
      labelName(expression.path("key"), at + ".key");
      labelValues(expression.path("values"), at + ".values");
    }
  }

  void labelName(JsonNode name, String path) {
    if (Tree.isKnown(name)) {
      String text = name.asText("");
      errors.invalid(path, text, LabelSyntax.ofLabelName(text));
    }
  }

  private void labelValues(JsonNode values, String path) {
    for (int i = 0; i < values.size(); i++) {
      JsonNode value = values.get(i);
      if (Tree.isKnown(value)) {
        errors.invalid(
            path + "[" + i + "]", value.asText(), LabelSyntax.ofLabelValue(value.asText()));
      }
    }
  }

  /** Checks matchLabelKeys and mismatchLabelKeys of a pod affinity term or a spread constraint. */
  void matchLabelKeys(JsonNode term, String path) {
    JsonNode selector = term.path("labelSelector");
    boolean noSelector = selector.isMissingNode() || selector.isNull();
    keys(term.path("matchLabelKeys"), noSelector, path + ".matchLabelKeys");
    keys(term.path("mismatchLabelKeys"), noSelector, path + ".mismatchLabelKeys");
    Set<String> selected = new HashSet<>();
    selector.path("matchLabels").fieldNames().forEachRemaining(selected::add);
    for (JsonNode expression : selector.path("matchExpressions")) {
      if (!Tree.isConditional(expression) && Tree.isKnown(expression.path("key"))) {
        selected.add(Tree.text(expression, "key"));
      }
    }
    Set<String> mismatched = new HashSet<>();
    for (JsonNode key : term.path("mismatchLabelKeys")) {
      if (Tree.isKnown(key)) {
        mismatched.add(key.asText());
      }
    }
    JsonNode matched = term.path("matchLabelKeys");
    for (int i = 0; i < matched.size(); i++) {
      if (!Tree.isKnown(matched.get(i))) {
        continue;
      }
      String key = matched.get(i).asText();
      String at = path + ".matchLabelKeys[" + i + "]";
      if (selected.contains(key)) {
        errors.invalid(at, key, "exists in both matchLabelKeys and labelSelector");
      }
      if (mismatched.contains(key)) {
        errors.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys");
      }
    }
  }

  private void keys(JsonNode keys, boolean noSelector, String path) {
    if (keys.isEmpty()) {
      return;
    }
    if (noSelector && Tree.size(keys) > 0) {
      errors.forbidden(path, "must not be specified when labelSelector is not set");
      return;
    }
    for (int i = 0; i < keys.size(); i++) {
      labelName(keys.get(i), path + "[" + i + "]");
    }
  }
}
