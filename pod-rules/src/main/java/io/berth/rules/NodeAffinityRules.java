package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** The rules for node affinity. */
final class NodeAffinityRules {
  static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private final Checks checks;

  NodeAffinityRules(Checks checks) {
    this.checks = checks;
  }

  void check(JsonNode affinity, String path) {
    JsonNode required = affinity.path(REQUIRED);
    if (required.isObject()) {
      required(required.path("nodeSelectorTerms"), path + "." + REQUIRED + ".nodeSelectorTerms");
    }
    JsonNode preferred = affinity.path(PREFERRED);
    for (int i = 0; i < preferred.size(); i++) {
      String at = path + "." + PREFERRED + "[" + i + "]";
      checks.weight(preferred.get(i).path("weight"), at + ".weight");
      term(preferred.get(i).path("preference"), false, at + ".preference");
    }
  }

  private void required(JsonNode terms, String path) {
    if (terms.isEmpty()) {
      checks.add(Violation.required(path, "must have at least one node selector term"));
    }
    for (int i = 0; i < terms.size(); i++) {
      term(terms.get(i), true, path + "[" + i + "]");
    }
  }

  /**
   * Checks a node selector term.
   *
   * @param labelValues whether values must be valid label values, which preferred terms do not
   *     require
   */
  private void term(JsonNode term, boolean labelValues, String path) {
    JsonNode expressions = term.path("matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      expression(expressions.get(i), labelValues, path + ".matchExpressions[" + i + "]");
    }
    JsonNode fields = term.path("matchFields");
    for (int i = 0; i < fields.size(); i++) {
      field(fields.get(i), path + ".matchFields[" + i + "]");
    }
  }

  private void expression(JsonNode expression, boolean labelValues, String path) {
    JsonNode operator = expression.path("operator");
    if (checks.isKnown(operator)) {
      String name = Checks.text(operator);
      if (!name.equals("Gt") && !name.equals("Lt")) {
        checks.setOperator(expression, name, path);
      } else if (!checks.mayHave(expression.path("values"), 1)) {
        checks.add(
            Violation.required(
                path + ".values",
                "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      }
    }
    checks.labelName(expression.path("key"), path + ".key");
    if (labelValues) {
      checks.labelValues(expression.path("values"), path + ".values");
    }
  }

  private void field(JsonNode expression, String path) {
    JsonNode operator = expression.path("operator");
    JsonNode values = expression.path("values");
    if (checks.isKnown(operator)) {
      String name = Checks.text(operator);
      if (!name.equals("In") && !name.equals("NotIn")) {
        checks.add(Violation.invalid(path + ".operator", name, "not a valid selector operator"));
      } else if (!checks.mayHave(values, 1)) {
        checks.add(
            Violation.required(
                path + ".values",
                "must be only one value when `operator` is 'In' or 'NotIn' for node field"
                    + " selector"));
      }
    }
    JsonNode key = expression.path("key");
    if (!checks.isKnown(key)) {
      return;
    }
    if (!Checks.text(key).equals("metadata.name")) {
      checks.add(
          Violation.invalid(path + ".key", Checks.text(key), "not a valid field selector key"));
      return;
    }
    for (int i = 0; i < values.size(); i++) {
      if (checks.isKnown(values.get(i))) {
        String name = Checks.text(values.get(i));
        String at = path + ".values[" + i + "]";
        checks.invalid(at, at, name, LabelSyntax.ofSubdomain(name));
      }
    }
  }
}
