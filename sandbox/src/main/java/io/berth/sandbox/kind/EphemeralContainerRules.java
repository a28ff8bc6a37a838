package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@code ephemeralcontainers} subresource of pods, which can add containers but not change or
 * remove existing ones.
 */
final class EphemeralContainerRules {
  private static final String LIST = "ephemeralContainers";
  private static final String PATH = "spec.ephemeralContainers";

  private EphemeralContainerRules() {}

  static void keepOnlyContainers(ObjectNode pod, ObjectNode old) {
    JsonNode containers = pod.path("spec").path(LIST);
    ObjectNode spec = old.withObjectProperty("spec").deepCopy();
    spec.remove(LIST);
    if (!containers.isEmpty()) {
      spec.set(LIST, containers);
    }
    pod.set("spec", spec);
  }

  static List<FieldError> validate(ObjectNode pod, ObjectNode old) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode containers = pod.path("spec").path(LIST);
    for (int i = 0; i < containers.size(); i++) {
      for (String field : List.of("name", "image")) {
        if (containers.get(i).path(field).asText().isEmpty()) {
          errors.add(FieldError.required(PATH + "[" + i + "]." + field, ""));
        }
      }
      for (String field : List.of("ports", "livenessProbe", "readinessProbe", "startupProbe")) {
        if (!containers.get(i).path(field).isEmpty()) {
          errors.add(
              FieldError.forbidden(
                  PATH + "[" + i + "]." + field, "cannot be set for an Ephemeral Container"));
        }
      }
    }
    for (JsonNode before : old.path("spec").path(LIST)) {
      String name = before.path("name").asText();
      JsonNode after = null;
      for (JsonNode container : containers) {
        if (container.path("name").asText().equals(name)) {
          after = container;
        }
      }
      if (after == null || !after.equals(before)) {
        errors.add(
            FieldError.forbidden(
                PATH,
                "existing ephemeral containers \""
                    + name
                    + "\" may not be "
                    + (after == null ? "removed" : "changed")));
      }
    }
    return errors;
  }
}
