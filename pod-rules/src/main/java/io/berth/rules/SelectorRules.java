package io.berth.rules;

import com.fasterxml.jackson.databind.JsonNode;

/** The rules for label selectors. */
final class SelectorRules {
  private final Checks checks;

  SelectorRules(Checks checks) {
    this.checks = checks;
  }

  void check(JsonNode selector, String path) {
    checks.labels(selector.path("matchLabels"), path + ".matchLabels");
    JsonNode expressions = selector.path("matchExpressions");
    for (int i = 0; i < expressions.size(); i++) {
      JsonNode expression = expressions.get(i);
      String at = path + ".matchExpressions[" + i + "]";
      JsonNode operator = expression.path("operator");
      if (checks.isKnown(operator)) {
        checks.setOperator(expression, Checks.text(operator), at);
      }
      checks.labelName(expression.path("key"), at + ".key");
      checks.labelValues(expression.path("values"), at + ".values");
    }
  }
}
