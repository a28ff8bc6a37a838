package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.rules.LabelSyntax;
import io.berth.rules.PlacementRules;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.resource.ResourceType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Validation of metadata: names, labels, annotations, and owner references. */
public final class MetadataRules {
  private static final int ANNOTATIONS_LIMIT = 256 * 1024;
  private static final PlacementRules RULES = PlacementRules.ofStored();

  private MetadataRules() {}

  /**
   * Returns the validation errors of an object's metadata. The name is checked only if {@code old}
   * is null, and labels and annotations only if they have changed.
   */
  public static List<FieldError> validate(
      ObjectNode object, @Nullable ObjectNode old, ResourceType type, NameFormat format) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode metadata = object.path("metadata");
    if (old == null) {
      String name = metadata.path("name").asText();
      for (String problem : format.problems(name)) {
        errors.add(FieldError.invalid("metadata.name", name, problem));
      }
    }
    if (old == null || !metadata.path("labels").equals(old.path("metadata").path("labels"))) {
      RULES
          .labels(metadata.path("labels"), "metadata.labels")
          .forEach(violation -> errors.add(FieldError.of(violation)));
    }
    if (old == null
        || !metadata.path("annotations").equals(old.path("metadata").path("annotations"))) {
      annotations(metadata.path("annotations"), errors);
    }
    int i = 0;
    boolean controlled = false;
    for (JsonNode owner : metadata.path("ownerReferences")) {
      String at = "metadata.ownerReferences[" + i++ + "]";
      for (String field : List.of("apiVersion", "kind", "name", "uid")) {
        if (owner.path(field).asText().isEmpty()) {
          errors.add(
              FieldError.invalid(
                  at + "." + field,
                  "",
                  field.equals("apiVersion") ? "version must not be empty" : "must not be empty"));
        }
      }
      if (owner.path("controller").asBoolean()) {
        if (controlled) {
          errors.add(
              FieldError.invalid(
                  "metadata.ownerReferences",
                  "controller",
                  "Only one reference can have Controller set to true."));
        }
        controlled = true;
      }
    }
    return errors;
  }

  private static void annotations(JsonNode annotations, List<FieldError> errors) {
    long size = 0;
    for (var annotation : annotations.properties()) {
      for (String problem : LabelSyntax.ofLabelName(annotation.getKey().toLowerCase(Locale.ROOT))) {
        errors.add(FieldError.invalid("metadata.annotations", annotation.getKey(), problem));
      }
      size +=
          annotation.getKey().length()
              + annotation.getValue().asText().getBytes(StandardCharsets.UTF_8).length;
    }
    if (size > ANNOTATIONS_LIMIT) {
      errors.add(
          new FieldError(
              "metadata.annotations",
              "FieldValueTooLong",
              "Too long: may not be more than " + ANNOTATIONS_LIMIT + " bytes"));
    }
  }
}
