package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** Validation of tolerations. */
final class TolerationRules {
  private static final List<String> OPERATORS = List.of("Equal", "Exists");
  private static final List<String> EFFECTS =
      List.of("NoExecute", "NoSchedule", "PreferNoSchedule");

  private TolerationRules() {}

  static void validate(JsonNode tolerations, String path, List<FieldError> errors) {
    int i = 0;
    for (JsonNode toleration : tolerations) {
      one(toleration, path + "[" + i++ + "]", errors);
    }
  }

  private static void one(JsonNode toleration, String at, List<FieldError> errors) {
    String key = toleration.path("key").asText();
    String operator = toleration.path("operator").asText();
    String value = toleration.path("value").asText();
    String effect = toleration.path("effect").asText();
    if (!key.isEmpty()) {
      Labels.keyProblems(key)
          .forEach(problem -> errors.add(FieldError.invalid(at + ".key", key, problem)));
    } else if (!operator.equals("Exists")) {
      errors.add(
          FieldError.invalid(
              at + ".operator",
              operator,
              "operator must be Exists when `key` is empty, which means \"match all values and all"
                  + " keys\""));
    }
    if (toleration.has("tolerationSeconds") && !effect.equals("NoExecute")) {
      errors.add(
          FieldError.invalid(
              at + ".effect",
              effect,
              "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    switch (operator) {
      case "Equal", "" -> {
        List<String> problems = Labels.valueProblems(value);
        if (!problems.isEmpty()) {
          errors.add(FieldError.invalid(at + ".operator", value, String.join(";", problems)));
        }
      }
      case "Exists" -> {
        if (!value.isEmpty()) {
          errors.add(
              FieldError.invalid(
                  at + ".operator", value, "value must be empty when `operator` is 'Exists'"));
        }
      }
      default -> errors.add(FieldError.notSupported(at + ".operator", operator, OPERATORS));
    }
    if (!effect.isEmpty() && !EFFECTS.contains(effect)) {
      errors.add(FieldError.notSupported(at + ".effect", effect, EFFECTS));
    }
  }
}
