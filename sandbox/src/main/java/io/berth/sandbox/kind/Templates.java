package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.PlacementRules;
import io.berth.rules.Violation;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.kind.WorkloadRules.Workload;
import io.berth.sandbox.selector.LabelSelector;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Validation of workload selectors against the labels of their pod templates. */
final class Templates {
  private static final PlacementRules RULES = PlacementRules.ofStored();

  private Templates() {}

  static void validateSelector(Workload workload, JsonNode spec, List<FieldError> errors) {
    JsonNode selector = spec.path("selector");
    if (!selector.isObject()) {
      errors.add(FieldError.required("spec.selector", ""));
      errors.add(
          FieldError.invalid(
              "spec.template.metadata.labels",
              spec.path("template").path("metadata").path("labels"),
              "`selector` does not match template `labels`"));
      return;
    }
    List<Violation> violations = RULES.labelSelector(selector, "spec.selector");
    if (!violations.isEmpty()) {
      violations.forEach(violation -> errors.add(FieldError.of(violation)));
      invalid(workload, selector, errors);
      return;
    }
    if (selector.path("matchLabels").isEmpty() && selector.path("matchExpressions").isEmpty()) {
      errors.add(
          FieldError.invalid(
              "spec.selector", selector, "empty selector is invalid for " + singular(workload)));
    }
    Map<String, String> labels = new TreeMap<>();
    spec.path("template")
        .path("metadata")
        .path("labels")
        .properties()
        .forEach(label -> labels.put(label.getKey(), label.getValue().asText()));
    if (!LabelSelector.ofObject(selector).matches(labels)) {
      errors.add(
          FieldError.invalid(
              "spec.template.metadata.labels",
              spec.path("template").path("metadata").path("labels"),
              "`selector` does not match template `labels`"));
    }
  }

  /**
   * Adds the error for the selector as a whole, which the API server words differently for each
   * kind.
   */
  private static void invalid(Workload workload, JsonNode selector, List<FieldError> errors) {
    switch (workload) {
      case DEPLOYMENT, REPLICA_SET ->
          errors.add(FieldError.invalid("spec.selector", selector, "invalid label selector"));
      case STATEFUL_SET -> errors.add(FieldError.invalid("spec.selector", selector, ""));
      case DAEMON_SET, REPLICATION_CONTROLLER -> {}
    }
  }

  private static String singular(Workload workload) {
    return switch (workload) {
      case DEPLOYMENT, REPLICA_SET -> "deployment";
      case STATEFUL_SET -> "statefulset";
      case DAEMON_SET -> "daemonset";
      case REPLICATION_CONTROLLER -> "replication controller";
    };
  }
}
