package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.release.ApiTypes;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The schemas of all served kinds. Schemas of built-in kinds are created once; schemas of custom
 * resources are added and removed with their CustomResourceDefinitions.
 */
public final class SchemaCatalog {
  private final ObjectNode definitions;
  private final Map<String, BuiltInSchema> builtIn = new HashMap<>();
  private final Map<String, CustomSchema> custom = new ConcurrentHashMap<>();

  private record BuiltInSchema(String name, SchemaNode node) {}

  private record CustomSchema(ObjectNode json, SchemaNode node) {}

  private final KubernetesVersion version;

  /** Creates the schemas of built-in resources for the standard Kubernetes version. */
  public SchemaCatalog(List<ResourceType> resources) {
    this(resources, KubernetesVersion.standard());
  }

  /** Creates the schemas of built-in resources for a Kubernetes version. */
  public SchemaCatalog(List<ResourceType> resources, KubernetesVersion version) {
    this.version = version;
    definitions = BuiltInSchemas.definitions(version);
    for (ResourceType type : resources) {
      String name = nameOfBuiltIn(type);
      ObjectNode schema = (ObjectNode) definitions.path(name);
      builtIn.put(keyOf(type), new BuiltInSchema(name, SchemaNode.of(definitions, schema)));
      addKind(schema, type.group(), type.version(), type.kind());
    }
  }

  /** The Kubernetes version of the built-in schemas. */
  KubernetesVersion version() {
    return version;
  }

  private static String nameOfBuiltIn(ResourceType type) {
    return ApiTypes.get()
        .ofKind(type.apiVersion(), type.kind())
        .orElseThrow(
            () -> new IllegalStateException("the table of API types has no " + keyOf(type)))
        .openApiName();
  }

  static void addKind(ObjectNode schema, String group, String version, String kind) {
    schema
        .putArray("x-kubernetes-group-version-kind")
        .addObject()
        .put("group", group)
        .put("kind", kind)
        .put("version", version);
  }

  private static String keyOf(ResourceType type) {
    return type.apiVersion() + "/" + type.kind();
  }

  /** All built-in definitions by name. Must not be modified. */
  ObjectNode definitions() {
    return definitions;
  }

  /** Returns the name of a kind's schema in the OpenAPI documents. */
  String nameOf(ResourceType type) {
    BuiltInSchema known = builtIn.get(keyOf(type));
    return known != null ? known.name : customName(type.group(), type.version(), type.kind());
  }

  private static String customName(String group, String version, String kind) {
    StringBuilder name = new StringBuilder();
    List<String> parts = List.of(group.split("\\.", -1));
    for (int i = parts.size() - 1; i >= 0; i--) {
      name.append(parts.get(i)).append('.');
    }
    return name.append(version).append('.').append(kind).toString();
  }

  /**
   * Returns the schema of a resource's kind. The same instance is returned until the schema
   * changes.
   */
  public Optional<SchemaNode> find(ResourceType type) {
    BuiltInSchema known = builtIn.get(keyOf(type));
    return known != null
        ? Optional.of(known.node)
        : Optional.ofNullable(custom.get(keyOf(type))).map(CustomSchema::node);
  }

  /** Returns the schema of a custom resource's kind as published in the OpenAPI documents. */
  Optional<ObjectNode> customSchema(ResourceType type) {
    return Optional.ofNullable(custom.get(keyOf(type))).map(CustomSchema::json);
  }

  /**
   * Adds or replaces the schema of a custom resource.
   *
   * @param openApiSchema the version's openAPIV3Schema
   */
  public void add(ResourceType type, JsonNode openApiSchema) {
    ObjectNode schema =
        openApiSchema.isObject() ? openApiSchema.deepCopy() : Json.object().put("type", "object");
    ObjectNode properties = schema.withObjectProperty("properties");
    properties.putObject("apiVersion").put("type", "string");
    properties.putObject("kind").put("type", "string");
    properties
        .putObject("metadata")
        .put("$ref", "#/components/schemas/" + BuiltInSchemas.META + "ObjectMeta");
    addKind(schema, type.group(), type.version(), type.kind());
    custom.put(keyOf(type), new CustomSchema(schema, SchemaNode.of(definitions, schema)));
  }

  /** Removes the schema of a custom resource. */
  public void remove(ResourceType type) {
    custom.remove(keyOf(type));
  }

  static Comparator<ResourceType> byName() {
    return Comparator.comparing(ResourceType::plural);
  }
}
