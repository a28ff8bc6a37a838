package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** Validation of a metav1.LabelSelector. */
final class SelectorRules {
  private SelectorRules() {}

  static void validate(JsonNode selector, String path, List<FieldError> errors) {
    errors.addAll(Labels.validate(selector.path("matchLabels"), path + ".matchLabels"));
    int i = 0;
    for (JsonNode expression : selector.path("matchExpressions")) {
      String at = path + ".matchExpressions[" + i++ + "]";
      String operator = expression.path("operator").asText();
      switch (operator) {
        case "In", "NotIn" -> {
          if (expression.path("values").isEmpty()) {
            errors.add(
                FieldError.required(
                    at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
          }
        }
        case "Exists", "DoesNotExist" -> {
          if (!expression.path("values").isEmpty()) {
            errors.add(
                FieldError.forbidden(
                    at + ".values",
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
          }
        }
        default ->
            errors.add(
                FieldError.invalid(at + ".operator", operator, "not a valid selector operator"));
      }
      String key = expression.path("key").asText();
      Labels.keyProblems(key)
          .forEach(problem -> errors.add(FieldError.invalid(at + ".key", key, problem)));
      int j = 0;
      for (JsonNode value : expression.path("values")) {
        String of = at + ".values[" + j++ + "]";
        Labels.valueProblems(value.asText())
            .forEach(problem -> errors.add(FieldError.invalid(of, value.asText(), problem)));
      }
    }
  }
}
