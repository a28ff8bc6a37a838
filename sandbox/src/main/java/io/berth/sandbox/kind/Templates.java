package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.rules.PlacementRules;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.selector.LabelSelector;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Selectors of workloads against their templates' labels. */
final class Templates {
  private static final PlacementRules RULES = PlacementRules.ofStored();

  private Templates() {}

  static void validateSelector(JsonNode spec, List<FieldError> errors) {
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
    RULES
        .labelSelector(selector, "spec.selector")
        .forEach(violation -> errors.add(FieldError.of(violation)));
    if (selector.path("matchLabels").isEmpty() && selector.path("matchExpressions").isEmpty()) {
      errors.add(
          FieldError.invalid(
              "spec.selector", selector, "empty selector is invalid for deployment"));
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
}
