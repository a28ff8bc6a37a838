package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.release.ApiType;
import io.berth.sandbox.release.ApiTypes;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * The OpenAPI v3 documents, one per group and version, which are read by {@code kubectl apply},
 * {@code explain}, and {@code diff}.
 */
public final class OpenApiDocuments {
  private static final Map<String, ApiType> BY_OPEN_API_NAME =
      ApiTypes.get().all().stream()
          .collect(Collectors.toUnmodifiableMap(ApiType::openApiName, type -> type));

  private final Map<String, ObjectNode> described = new ConcurrentHashMap<>();
  private final ResourceRegistry registry;
  private final SchemaCatalog catalog;

  /**
   * Creates the documents of a registry. Each document reflects the registry's content at the time
   * of the call.
   */
  public OpenApiDocuments(ResourceRegistry registry, SchemaCatalog catalog) {
    this.registry = registry;
    this.catalog = catalog;
  }

  /** The Kubernetes version that is documented. */
  public KubernetesVersion version() {
    return catalog.version();
  }

  /** {@code /openapi/v3}: the URLs of all documents. */
  public ObjectNode index() {
    ObjectNode index = Json.object();
    ObjectNode paths = index.putObject("paths");
    Map<String, CRC32> hashes = new TreeMap<>();
    for (ResourceType type : registry.all()) {
      String path = type.group().isEmpty() ? "api/" + type.version() : "apis/" + type.apiVersion();
      CRC32 hash = hashes.computeIfAbsent(path, key -> new CRC32());
      hash.update(type.plural().getBytes(StandardCharsets.UTF_8));
      catalog.customSchema(type).ifPresent(schema -> hash.update(Json.write(schema)));
    }
    hashes.forEach(
        (path, hash) ->
            paths
                .putObject(path)
                .put(
                    "serverRelativeURL",
                    "/openapi/v3/" + path + "?hash=" + Long.toHexString(hash.getValue())));
    return index;
  }

  /** Returns the document of a group and version; empty if it is not served. */
  public Optional<ObjectNode> document(String group, String version) {
    List<ResourceType> types =
        registry.all().stream()
            .filter(type -> type.group().equals(group) && type.version().equals(version))
            .toList();
    if (types.isEmpty()) {
      return Optional.empty();
    }
    ObjectNode document = Json.object().put("openapi", "3.0.0");
    document
        .putObject("info")
        .put("title", "Kubernetes")
        .put("version", catalog.version().release());
    ObjectNode paths = document.putObject("paths");
    ObjectNode schemas = document.putObject("components").putObject("schemas");
    for (ResourceType type : types) {
      addPaths(paths, type);
      Optional<ObjectNode> custom = catalog.customSchema(type);
      if (custom.isPresent()) {
        schemas.set(catalog.nameOf(type), custom.get());
        addReachable(schemas, custom.get());
      } else {
        addDefinition(schemas, catalog.nameOf(type));
      }
    }
    return Optional.of(document);
  }

  private void addDefinition(ObjectNode schemas, String name) {
    JsonNode definition = catalog.definitions().path(name);
    if (definition.isObject() && !schemas.has(name)) {
      schemas.set(name, described(name));
      addReachable(schemas, definition);
    }
  }

  /** Returns a built-in definition with its descriptions. */
  private JsonNode described(String name) {
    return described.computeIfAbsent(
        name,
        key -> {
          ObjectNode schema = catalog.definitions().path(name).deepCopy();
          ApiType type = BY_OPEN_API_NAME.get(name);
          if (type != null) {
            FieldDescriptions descriptions = FieldDescriptions.of(type);
            if (!descriptions.type().isEmpty()) {
              schema.put("description", descriptions.type());
            }
            descriptions.fields().forEach((field, text) -> describe(schema, field, text));
          }
          return schema;
        });
  }

  private static void describe(ObjectNode schema, String field, String text) {
    if (schema.path("properties").path(field) instanceof ObjectNode property
        && !property.has("$ref")) {
      property.put("description", text);
    }
  }

  private void addReachable(ObjectNode schemas, JsonNode from) {
    Deque<JsonNode> open = new ArrayDeque<>(List.of(from));
    Set<String> seen = new HashSet<>();
    while (!open.isEmpty()) {
      JsonNode at = open.pop();
      String ref = at.path("$ref").asText();
      if (!ref.isEmpty() && at.path("$ref").isTextual()) {
        String name = ref.substring(ref.lastIndexOf('/') + 1);
        JsonNode definition = catalog.definitions().path(name);
        if (seen.add(name) && definition.isObject() && !schemas.has(name)) {
          schemas.set(name, described(name));
          open.push(definition);
        }
      }
      at.forEach(
          child -> {
            if (child.isContainerNode()) {
              open.push(child);
            }
          });
    }
  }

  private void addPaths(ObjectNode paths, ResourceType type) {
    String root = type.group().isEmpty() ? "/api/" + type.version() : "/apis/" + type.apiVersion();
    String collection =
        root + (type.namespaced() ? "/namespaces/{namespace}/" : "/") + type.plural();
    ObjectNode many = paths.putObject(collection);
    if (type.namespaced()) {
      many.withArrayProperty("parameters").add(parameter("namespace", "path", "string"));
    }
    if (type.verbs().contains("list")) {
      operation(many, "get", "list", type, List.of("labelSelector", "fieldSelector"));
    }
    if (type.verbs().contains("create")) {
      operation(many, "post", "post", type, List.of("dryRun", "fieldManager", "fieldValidation"));
    }
    if (!type.verbs().contains("get")) {
      return;
    }
    ObjectNode one = paths.putObject(collection + "/{name}");
    ArrayNode shared = one.putArray("parameters").add(parameter("name", "path", "string"));
    if (type.namespaced()) {
      shared.add(parameter("namespace", "path", "string"));
    }
    operation(one, "get", "get", type, List.of());
    if (type.verbs().contains("patch")) {
      operation(one, "put", "put", type, List.of("dryRun", "fieldManager", "fieldValidation"));
      operation(
          one,
          "patch",
          "patch",
          type,
          List.of("dryRun", "fieldManager", "fieldValidation", "force"));
      operation(
          one,
          "delete",
          "delete",
          type,
          List.of("dryRun", "gracePeriodSeconds", "propagationPolicy"));
    }
  }

  private void operation(
      ObjectNode path, String method, String action, ResourceType type, List<String> parameters) {
    ObjectNode operation = path.putObject(method);
    operation.put(
        "operationId", action + type.kind() + type.version() + type.group().replace(".", ""));
    if (!parameters.isEmpty()) {
      ArrayNode list = operation.putArray("parameters");
      parameters.forEach(
          name ->
              list.add(
                  parameter(
                      name,
                      "query",
                      name.equals("force")
                          ? "boolean"
                          : name.endsWith("Seconds") ? "integer" : "string")));
    }
    ObjectNode schema = Json.object().put("$ref", "#/components/schemas/" + catalog.nameOf(type));
    if (method.equals("post") || method.equals("put")) {
      operation
          .putObject("requestBody")
          .putObject("content")
          .putObject("application/json")
          .set("schema", schema);
    }
    operation
        .putObject("responses")
        .putObject("200")
        .put("description", "OK")
        .putObject("content")
        .putObject("application/json")
        .set("schema", schema.deepCopy());
    operation.put("x-kubernetes-action", action);
    operation
        .putObject("x-kubernetes-group-version-kind")
        .put("group", type.group())
        .put("version", type.version())
        .put("kind", type.kind());
  }

  private static ObjectNode parameter(String name, String in, String type) {
    ObjectNode parameter = Json.object().put("name", name).put("in", in);
    if (in.equals("path")) {
      parameter.put("required", true);
    }
    parameter.putObject("schema").put("type", type);
    return parameter;
  }
}
