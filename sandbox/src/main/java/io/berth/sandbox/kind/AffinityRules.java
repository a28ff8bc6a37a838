package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.List;

/** Validation of node affinity, pod affinity and pod anti-affinity. */
final class AffinityRules {
  private static final int HIGHEST_WEIGHT = 100;
  private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
  private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

  private AffinityRules() {}

  static void validate(JsonNode affinity, String path, List<FieldError> errors) {
    nodes(affinity.path("nodeAffinity"), path + ".nodeAffinity", errors);
    pods(affinity.path("podAffinity"), path + ".podAffinity", errors);
    pods(affinity.path("podAntiAffinity"), path + ".podAntiAffinity", errors);
  }

  private static void nodes(JsonNode affinity, String path, List<FieldError> errors) {
    JsonNode required = affinity.path(REQUIRED);
    if (required.isObject()) {
      String terms = path + "." + REQUIRED + ".nodeSelectorTerms";
      if (required.path("nodeSelectorTerms").isEmpty()) {
        errors.add(FieldError.required(terms, "must have at least one node selector term"));
      }
      int i = 0;
      for (JsonNode term : required.path("nodeSelectorTerms")) {
        nodeTerm(term, terms + "[" + i++ + "]", true, errors);
      }
    }
    int i = 0;
    for (JsonNode preferred : affinity.path(PREFERRED)) {
      String at = path + "." + PREFERRED + "[" + i++ + "]";
      weight(preferred, at, errors);
      nodeTerm(preferred.path("preference"), at + ".preference", false, errors);
    }
  }

  private static void weight(JsonNode preferred, String at, List<FieldError> errors) {
    int weight = preferred.path("weight").asInt();
    if (weight <= 0 || weight > HIGHEST_WEIGHT) {
      errors.add(FieldError.invalid(at + ".weight", weight, "must be in the range 1-100"));
    }
  }

  private static void nodeTerm(
      JsonNode term, String path, boolean checkValues, List<FieldError> errors) {
    int i = 0;
    for (JsonNode requirement : term.path("matchExpressions")) {
      nodeRequirement(requirement, path + ".matchExpressions[" + i++ + "]", checkValues, errors);
    }
    i = 0;
    for (JsonNode requirement : term.path("matchFields")) {
      nodeField(requirement, path + ".matchFields[" + i++ + "]", errors);
    }
  }

  private static void nodeRequirement(
      JsonNode requirement, String at, boolean checkValues, List<FieldError> errors) {
    String operator = requirement.path("operator").asText();
    JsonNode values = requirement.path("values");
    switch (operator) {
      case "In", "NotIn" -> {
        if (values.isEmpty()) {
          errors.add(
              FieldError.required(
                  at + ".values", "must be specified when `operator` is 'In' or 'NotIn'"));
        }
      }
      case "Exists", "DoesNotExist" -> {
        if (!values.isEmpty()) {
          errors.add(
              FieldError.forbidden(
                  at + ".values",
                  "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
        }
      }
      case "Gt", "Lt" -> {
        if (values.size() != 1) {
          errors.add(
              FieldError.required(
                  at + ".values",
                  "must be specified single value when `operator` is 'Lt' or 'Gt'"));
        }
      }
      default ->
          errors.add(
              FieldError.invalid(at + ".operator", operator, "not a valid selector operator"));
    }
    String key = requirement.path("key").asText();
    Labels.keyProblems(key)
        .forEach(problem -> errors.add(FieldError.invalid(at + ".key", key, problem)));
    if (checkValues) {
      int i = 0;
      for (JsonNode value : values) {
        String of = at + ".values[" + i++ + "]";
        Labels.valueProblems(value.asText())
            .forEach(problem -> errors.add(FieldError.invalid(of, value.asText(), problem)));
      }
    }
  }

  private static void nodeField(JsonNode requirement, String at, List<FieldError> errors) {
    String operator = requirement.path("operator").asText();
    if (!operator.equals("In") && !operator.equals("NotIn")) {
      errors.add(FieldError.invalid(at + ".operator", operator, "not a valid selector operator"));
    } else if (requirement.path("values").size() != 1) {
      errors.add(
          FieldError.required(
              at + ".values",
              "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
    }
    String key = requirement.path("key").asText();
    if (!key.equals("metadata.name")) {
      errors.add(FieldError.invalid(at + ".key", key, "not a valid field selector key"));
    }
  }

  private static void pods(JsonNode affinity, String path, List<FieldError> errors) {
    int i = 0;
    for (JsonNode term : affinity.path(REQUIRED)) {
      podTerm(term, path + "." + REQUIRED + "[" + i++ + "]", errors);
    }
    i = 0;
    for (JsonNode preferred : affinity.path(PREFERRED)) {
      String at = path + "." + PREFERRED + "[" + i++ + "]";
      weight(preferred, at, errors);
      podTerm(preferred.path("podAffinityTerm"), at + ".podAffinityTerm", errors);
    }
  }

  private static void podTerm(JsonNode term, String at, List<FieldError> errors) {
    SelectorRules.validate(term.path("labelSelector"), at + ".labelSelector", errors);
    SelectorRules.validate(term.path("namespaceSelector"), at + ".namespaceSelector", errors);
    String key = term.path("topologyKey").asText();
    if (key.isEmpty()) {
      errors.add(FieldError.required(at + ".topologyKey", "can not be empty"));
    }
    Labels.keyProblems(key)
        .forEach(problem -> errors.add(FieldError.invalid(at + ".topologyKey", key, problem)));
  }
}
