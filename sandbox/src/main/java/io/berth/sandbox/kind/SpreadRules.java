package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.failure.FieldError;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Validation of topology spread constraints. */
final class SpreadRules {
  private static final List<String> ACTIONS = List.of("DoNotSchedule", "ScheduleAnyway");
  private static final List<String> POLICIES = List.of("Honor", "Ignore");

  private SpreadRules() {}

  static void validate(JsonNode constraints, String path, List<FieldError> errors) {
    Set<String> pairs = new HashSet<>();
    int i = 0;
    for (JsonNode constraint : constraints) {
      String at = path + "[" + i++ + "]";
      int skew = constraint.path("maxSkew").asInt();
      if (skew <= 0) {
        errors.add(FieldError.invalid(at + ".maxSkew", skew, "must be greater than zero"));
      }
      String key = constraint.path("topologyKey").asText();
      if (key.isEmpty()) {
        errors.add(FieldError.required(at + ".topologyKey", "can not be empty"));
      } else {
        Labels.keyProblems(key)
            .forEach(problem -> errors.add(FieldError.invalid(at + ".topologyKey", key, problem)));
      }
      String action = constraint.path("whenUnsatisfiable").asText();
      if (!ACTIONS.contains(action)) {
        errors.add(FieldError.notSupported(at + ".whenUnsatisfiable", action, ACTIONS));
      }
      String pair = "{" + key + ", " + action + "}";
      if (!pairs.add(pair)) {
        errors.add(FieldError.duplicate(at + ".{topologyKey, whenUnsatisfiable}", pair));
      }
      minDomains(constraint, at, action, errors);
      for (String policy : List.of("nodeAffinityPolicy", "nodeTaintsPolicy")) {
        String value = constraint.path(policy).asText();
        if (!value.isEmpty() && !POLICIES.contains(value)) {
          errors.add(FieldError.notSupported(at + "." + policy, value, POLICIES));
        }
      }
      SelectorRules.validate(constraint.path("labelSelector"), at + ".labelSelector", errors);
    }
  }

  private static void minDomains(
      JsonNode constraint, String at, String action, List<FieldError> errors) {
    if (!constraint.has("minDomains")) {
      return;
    }
    int domains = constraint.path("minDomains").asInt();
    if (domains <= 0) {
      errors.add(FieldError.invalid(at + ".minDomains", domains, "must be greater than zero"));
    }
    if (!action.equals("DoNotSchedule")) {
      errors.add(
          FieldError.invalid(
              at + ".minDomains",
              domains,
              "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " + action));
    }
  }
}
