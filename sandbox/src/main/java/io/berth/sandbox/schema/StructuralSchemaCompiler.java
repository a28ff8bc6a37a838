package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.berth.sandbox.failure.FieldError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A compiler of structural schemas and their CEL rules. */
public final class StructuralSchemaCompiler implements CustomResourceSchemaCompiler {

  @Override
  public List<FieldError> check(JsonNode openApiSchema, String path) {
    List<FieldError> errors = new ArrayList<>();
    if (!openApiSchema.path("type").asText("").equals("object")) {
      errors.add(
          openApiSchema.has("type")
              ? FieldError.invalid(
                  path + ".type", openApiSchema.path("type").asText(), "must be object at the root")
              : FieldError.required(path + ".type", "must not be empty at the root"));
    }
    structure(openApiSchema, path, errors);
    if (errors.isEmpty()) {
      errors.addAll(RuleSet.compile(new StructuralSchema(openApiSchema), path));
    }
    return errors;
  }

  @Override
  public CustomResourceSchema compile(JsonNode openApiSchema) {
    StructuralSchema schema = new StructuralSchema(openApiSchema);
    List<FieldError> errors = RuleSet.compile(schema, "openAPIV3Schema");
    if (!errors.isEmpty()) {
      throw new IllegalArgumentException("the schema is not valid: " + errors);
    }
    return new Compiled(schema);
  }

  private static void structure(JsonNode schema, String path, List<FieldError> errors) {
    boolean preserving = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    boolean intOrString = schema.path("x-kubernetes-int-or-string").asBoolean();
    if (!schema.has("type") && !intOrString && !preserving) {
      errors.add(
          FieldError.required(path + ".type", "must not be empty for specified object fields"));
    }
    if (intOrString && schema.has("type")) {
      errors.add(
          FieldError.invalid(
              path + ".type",
              schema.path("type").asText(),
              "must be empty if x-kubernetes-int-or-string is true"));
    }
    if (schema.has("properties") && schema.has("additionalProperties")) {
      errors.add(
          FieldError.forbidden(
              path + ".additionalProperties",
              "additionalProperties and properties are mutual exclusive"));
    }
    if (schema.path("type").asText("").equals("array") && !schema.path("items").isObject()) {
      errors.add(FieldError.required(path + ".items", "must be specified"));
    }
    if (schema.path("uniqueItems").asBoolean()) {
      errors.add(
          FieldError.forbidden(
              path + ".uniqueItems",
              "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"));
    }
    listKeys(schema, path, errors);
    pattern(schema, path, errors);
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      structure(property.getValue(), path + ".properties[" + property.getKey() + "]", errors);
    }
    if (schema.path("items").isObject()) {
      structure(schema.path("items"), path + ".items", errors);
    }
    if (schema.path("additionalProperties").isObject()) {
      structure(schema.path("additionalProperties"), path + ".additionalProperties", errors);
    }
  }

  private static void listKeys(JsonNode schema, String path, List<FieldError> errors) {
    if (!schema.path("x-kubernetes-list-type").asText("").equals("map")) {
      return;
    }
    JsonNode keys = schema.path("x-kubernetes-list-map-keys");
    if (keys.isEmpty()) {
      errors.add(
          FieldError.required(
              path + ".x-kubernetes-list-map-keys",
              "must not be empty if x-kubernetes-list-type is map"));
    }
    JsonNode items = schema.path("items");
    for (int i = 0; i < keys.size(); i++) {
      String key = keys.get(i).asText();
      if (!items.path("properties").has(key)) {
        errors.add(
            FieldError.invalid(
                path + ".x-kubernetes-list-map-keys[" + i + "]",
                key,
                "entries must all be names of item properties"));
      }
    }
  }

  private static void pattern(JsonNode schema, String path, List<FieldError> errors) {
    JsonNode pattern = schema.get("pattern");
    if (pattern == null) {
      return;
    }
    try {
      Pattern.compile(pattern.asText());
    } catch (PatternSyntaxException e) {
      errors.add(
          FieldError.invalid(
              path + ".pattern",
              pattern.asText(),
              "must be a valid regular expression, but isn't: " + e.getMessage()));
    }
  }

  private record Compiled(StructuralSchema schema) implements CustomResourceSchema {
    @Override
    public List<String> prune(ObjectNode object) {
      return Pruning.prune(object, schema);
    }

    @Override
    public void applyDefaults(ObjectNode object) {
      Defaulting.apply(object, schema);
    }

    @Override
    public List<FieldError> validate(ObjectNode object, Optional<ObjectNode> old) {
      List<FieldError> errors =
          new ArrayList<>(ValueValidation.validate(object, old.orElse(null), schema));
      if (errors.isEmpty()) {
        RuleSet.validate(object, old.orElse(null), schema, "", errors);
      }
      return errors;
    }
  }
}
