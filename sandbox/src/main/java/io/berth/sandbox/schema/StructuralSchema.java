package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parsed node of a structural OpenAPI v3 schema. */
final class StructuralSchema {
  final JsonNode json;
  final String type;
  final boolean nullable;
  final boolean intOrString;
  final boolean preserveUnknown;
  final boolean embedded;
  final Map<String, StructuralSchema> properties = new LinkedHashMap<>();
  final List<String> required = new ArrayList<>();
  final List<StructuralSchema> allOf;
  final List<StructuralSchema> anyOf;
  final List<StructuralSchema> oneOf;
  final @Nullable StructuralSchema not;
  final @Nullable StructuralSchema items;
  final @Nullable StructuralSchema additional;
  final boolean additionalAllowed;
  final @Nullable Pattern pattern;
  final @Nullable JsonNode defaultValue;
  List<RuleSet.Rule> rules = List.of();

  StructuralSchema(JsonNode json) {
    this.json = json;
    this.type = json.path("type").asText("");
    this.nullable = json.path("nullable").asBoolean();
    this.intOrString = json.path("x-kubernetes-int-or-string").asBoolean();
    this.preserveUnknown = json.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    this.embedded = json.path("x-kubernetes-embedded-resource").asBoolean();
    json.path("properties")
        .properties()
        .forEach(entry -> properties.put(entry.getKey(), new StructuralSchema(entry.getValue())));
    json.path("required").forEach(name -> required.add(name.asText()));
    this.allOf = list(json.path("allOf"));
    this.anyOf = list(json.path("anyOf"));
    this.oneOf = list(json.path("oneOf"));
    this.not = child(json, "not");
    this.items = child(json, "items");
    this.additional = child(json, "additionalProperties");
    this.additionalAllowed = json.path("additionalProperties").asBoolean();
    JsonNode regex = json.get("pattern");
    this.pattern = regex == null ? null : Pattern.compile(regex.asText());
    this.defaultValue = json.get("default");
  }

  private static List<StructuralSchema> list(JsonNode schemas) {
    List<StructuralSchema> list = new ArrayList<>();
    schemas.forEach(schema -> list.add(new StructuralSchema(schema)));
    return List.copyOf(list);
  }

  private static @Nullable StructuralSchema child(JsonNode json, String name) {
    JsonNode child = json.get(name);
    return child != null && child.isObject() ? new StructuralSchema(child) : null;
  }

  /**
   * Returns the schema of a property, or else the schema of additional properties; null if there is
   * neither.
   */
  @Nullable StructuralSchema member(String name) {
    StructuralSchema declared = properties.get(name);
    return declared != null ? declared : additional;
  }

  /** Returns whether a member is a declared property. */
  boolean declares(String name) {
    return properties.containsKey(name);
  }

  String listType() {
    return json.path("x-kubernetes-list-type").asText("");
  }

  List<String> listMapKeys() {
    List<String> keys = new ArrayList<>();
    json.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asText()));
    return keys;
  }
}
