package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A position in a schema, with references resolved. Built-in schemas and those of
 * CustomResourceDefinitions have the same interface, so code that traverses an object along its
 * schema (patches, pruning, field validation) exists only once.
 */
public final class SchemaNode {
  private final JsonNode definitions;
  private final JsonNode schema;

  private SchemaNode(JsonNode definitions, JsonNode schema) {
    this.definitions = definitions;
    this.schema = schema;
  }

  /**
   * Returns the root of a schema.
   *
   * @param definitions the definitions to which {@code #/components/schemas/...} references
   *     resolve; a missing node if there are none
   * @param schema the schema
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
   * Returns the schema of a property; empty if the schema does not list it (see also {@link
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

  /**
   * Copies the extensions (patch strategy, list type) from the reference to the referenced schema,
   * which has the type.
   */
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

  /** Returns the schema of a list's items. */
  public Optional<SchemaNode> items() {
    return child("items");
  }

  /** Returns the schema of a map's values; empty if additional properties have no schema. */
  public Optional<SchemaNode> values() {
    return child("additionalProperties");
  }

  private Optional<SchemaNode> child(String name) {
    JsonNode child = schema.path(name);
    return child.isObject() ? Optional.of(of(definitions, child)) : Optional.empty();
  }

  /** Returns the JSON of the schema, with its reference resolved. Must not be modified. */
  public JsonNode json() {
    return schema;
  }

  /**
   * Returns {@code object}, {@code array}, {@code string}, {@code integer}, {@code number}, or
   * {@code boolean}; empty for any type.
   */
  public String type() {
    return schema.path("type").asText();
  }

  /** Returns whether the schema lists properties. */
  public boolean hasProperties() {
    return schema.has("properties");
  }

  /** Returns whether fields that the schema does not list are kept. */
  public boolean preservesUnknownFields() {
    return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
  }

  /** Returns whether the value is a complete object with its own apiVersion, kind, and metadata. */
  public boolean embedsResource() {
    return schema.path("x-kubernetes-embedded-resource").asBoolean();
  }

  /** Returns {@code map}, {@code set}, or {@code atomic}; empty means atomic. */
  public String listType() {
    return schema.path("x-kubernetes-list-type").asText();
  }

  /** Returns the fields that identify an item of a list of type {@code map}. */
  public List<String> listMapKeys() {
    List<String> keys = new ArrayList<>();
    schema.path("x-kubernetes-list-map-keys").forEach(key -> keys.add(key.asText()));
    return keys;
  }

  /** Returns {@code granular} or {@code atomic}; empty means granular. */
  public String mapType() {
    return schema.path("x-kubernetes-map-type").asText();
  }

  /**
   * Returns the strategies for strategic merge patches: {@code merge}, {@code replace}, {@code
   * retainKeys}.
   */
  public List<String> patchStrategies() {
    String joined = schema.path("x-kubernetes-patch-strategy").asText();
    return joined.isEmpty() ? List.of() : List.of(joined.split(",", -1));
  }

  /** Returns the merge key of a list for strategic merge patches; empty if it has none. */
  public String patchMergeKey() {
    return schema.path("x-kubernetes-patch-merge-key").asText();
  }
}
