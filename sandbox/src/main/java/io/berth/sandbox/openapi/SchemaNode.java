package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A place in a schema, with references resolved. Works the same over built-in schemas and those of
 * CustomResourceDefinitions, so what walks an object along its schema (patches, pruning, field
 * validation, explain) is written once.
 */
public final class SchemaNode {
  private final JsonNode definitions;
  private final JsonNode schema;

  private SchemaNode(JsonNode definitions, JsonNode schema) {
    this.definitions = definitions;
    this.schema = schema;
  }

  /**
   * The place where a schema starts.
   *
   * @param definitions the object that {@code #/components/schemas/...} references lead into; a
   *     missing node if there are none
   * @param schema where to start
   */
  public static SchemaNode of(JsonNode definitions, JsonNode schema) {
    return new SchemaNode(definitions, resolve(definitions, schema));
  }

  private static JsonNode resolve(JsonNode definitions, JsonNode schema) {
    JsonNode at = schema;
    if (at.path("allOf").size() == 1 && at.path("allOf").get(0).has("$ref")) {
      at = at.path("allOf").get(0);
    }
    if (at.has("$ref")) {
      String ref = at.path("$ref").asText();
      return definitions.path(ref.substring(ref.lastIndexOf('/') + 1));
    }
    return at;
  }

  /**
   * The schema of a property; empty if the schema names no such property (then see {@link
   * #values()}).
   */
  public Optional<SchemaNode> property(String name) {
    JsonNode property = schema.path("properties").path(name);
    if (property.isMissingNode()) {
      return Optional.empty();
    }
    SchemaNode resolved = of(definitions, property);
    boolean reference = property.has("$ref") || property.has("allOf");
    return Optional.of(
        reference ? new SchemaNode(definitions, merged(resolved.schema, property)) : resolved);
  }

  /** The extensions (patch strategy, list type) stand at the reference, the type behind it. */
  private static JsonNode merged(JsonNode target, JsonNode reference) {
    ObjectNode merged = target.deepCopy();
    reference
        .properties()
        .forEach(
            entry -> {
              if (entry.getKey().startsWith("x-kubernetes-")) {
                merged.set(entry.getKey(), entry.getValue());
              }
            });
    return merged;
  }

  /** The schema of a list's items. */
  public Optional<SchemaNode> items() {
    return child("items");
  }

  /** The schema of a map's values; empty if additional properties are not described by a schema. */
  public Optional<SchemaNode> values() {
    return child("additionalProperties");
  }

  private Optional<SchemaNode> child(String name) {
    JsonNode child = schema.path(name);
    return child.isObject() ? Optional.of(of(definitions, child)) : Optional.empty();
  }

  /** The schema's own JSON, reference resolved; nobody may change it. */
  public JsonNode json() {
    return schema;
  }

  /**
   * {@code object}, {@code array}, {@code string}, {@code integer}, {@code number}, {@code
   * boolean}, or empty for any.
   */
  public String type() {
    return schema.path("type").asText();
  }

  /** Returns whether the schema lists properties. */
  public boolean hasProperties() {
    return schema.has("properties");
  }

  /** Returns whether fields that the schema does not name are kept. */
  public boolean preservesUnknownFields() {
    return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
  }

  /** Returns whether the place holds a whole object with its own apiVersion, kind and metadata. */
  public boolean embedsResource() {
    return schema.path("x-kubernetes-embedded-resource").asBoolean();
  }

  /** {@code map}, {@code set}, {@code atomic}, or empty, which means atomic. */
  public String listType() {
    return schema.path("x-kubernetes-list-type").asText();
  }

  /** The fields that identify an item of a list of type {@code map}. */
  public List<String> listMapKeys() {
    List<String> keys = new ArrayList<>();
    schema.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asText()));
    return keys;
  }

  /** {@code granular}, {@code atomic}, or empty, which means granular. */
  public String mapType() {
    return schema.path("x-kubernetes-map-type").asText();
  }

  /**
   * The strategies of strategic-merge patch: {@code merge}, {@code replace}, {@code retainKeys}.
   */
  public List<String> patchStrategies() {
    String joined = schema.path("x-kubernetes-patch-strategy").asText();
    return joined.isEmpty() ? List.of() : List.of(joined.split(",", -1));
  }

  /** The field by which strategic-merge patch pairs a list's items; empty if it has none. */
  public String patchMergeKey() {
    return schema.path("x-kubernetes-patch-merge-key").asText();
  }
}
