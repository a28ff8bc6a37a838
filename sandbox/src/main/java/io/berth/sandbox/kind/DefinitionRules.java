package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.schema.CustomResourceSchemaCompiler;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The rules of CustomResourceDefinitions: names, versions, and schemas. A definition is established
 * as soon as it is stored.
 */
final class DefinitionRules implements KindRules {
  private static final String FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

  private final CustomResourceSchemaCompiler compiler;

  DefinitionRules(CustomResourceSchemaCompiler compiler) {
    this.compiler = compiler;
  }

  @Override
  public boolean countsGenerations() {
    return true;
  }

  @Override
  public boolean allowsUnconditionalUpdate() {
    return false;
  }

  @Override
  public void applyDefaults(ObjectNode definition) {
    ObjectNode spec = definition.withObjectProperty("spec");
    ObjectNode names = spec.withObjectProperty("names");
    String kind = names.path("kind").asText();
    Defaults.text(names, "singular", kind.toLowerCase(Locale.ROOT));
    Defaults.text(names, "listKind", kind + "List");
    Defaults.text(spec.withObjectProperty("conversion"), "strategy", "None");
  }

  @Override
  public void prepareForCreate(ObjectNode definition) {
    applyDefaults(definition);
    ArrayNode finalizers =
        definition.withObjectProperty("metadata").withArrayProperty("finalizers");
    finalizers.add(FINALIZER);
    String now = definition.path("metadata").path("creationTimestamp").asText();
    ObjectNode status = definition.putObject("status");
    ArrayNode conditions = status.putArray("conditions");
    condition(conditions, "NamesAccepted", "NoConflicts", "no conflicts found", now);
    condition(
        conditions,
        "Established",
        "InitialNamesAccepted",
        "the initial names have been accepted",
        now);
    status.set("acceptedNames", definition.path("spec").path("names").deepCopy());
    addStoredVersion(definition);
  }

  @Override
  public void prepareForUpdate(ObjectNode definition, ObjectNode old) {
    definition
        .withObjectProperty("status")
        .set("acceptedNames", definition.path("spec").path("names").deepCopy());
    addStoredVersion(definition);
  }

  private static void condition(
      ArrayNode conditions, String type, String reason, String message, String now) {
    conditions
        .addObject()
        .put("lastTransitionTime", now)
        .put("message", message)
        .put("reason", reason)
        .put("status", "True")
        .put("type", type);
  }

  private static void addStoredVersion(ObjectNode definition) {
    ArrayNode stored = definition.withObjectProperty("status").withArrayProperty("storedVersions");
    for (JsonNode version : definition.path("spec").path("versions")) {
      if (version.path("storage").asBoolean()) {
        for (JsonNode known : stored) {
          if (known.equals(version.path("name"))) {
            return;
          }
        }
        stored.add(version.path("name").asText());
      }
    }
  }

  @Override
  public List<FieldError> validateCreate(ObjectNode definition) {
    List<FieldError> errors = new ArrayList<>();
    JsonNode spec = definition.path("spec");
    String expected =
        spec.path("names").path("plural").asText() + "." + spec.path("group").asText();
    String name = definition.path("metadata").path("name").asText();
    if (!name.equals(expected)) {
      errors.add(
          FieldError.invalid("metadata.name", name, "must be spec.names.plural+\".\"+spec.group"));
    }
    for (String field : List.of("group", "scope")) {
      if (spec.path(field).asText().isEmpty()) {
        errors.add(FieldError.required("spec." + field, ""));
      }
    }
    if (spec.path("names").path("kind").asText().isEmpty()) {
      errors.add(FieldError.required("spec.names.kind", ""));
    }
    int storing = 0;
    int i = 0;
    for (JsonNode version : spec.path("versions")) {
      String at = "spec.versions[" + i++ + "].schema.openAPIV3Schema";
      storing += version.path("storage").asBoolean() ? 1 : 0;
      JsonNode schema = version.path("schema").path("openAPIV3Schema");
      if (schema.isObject()) {
        errors.addAll(compiler.check(schema, at));
      } else {
        errors.add(FieldError.required(at, "schemas are required"));
      }
    }
    if (storing != 1) {
      errors.add(
          FieldError.invalid(
              "spec.versions",
              spec.path("versions").size(),
              "must have exactly one version marked as storage version"));
    }
    return errors;
  }
}
