package io.berth.operator.query;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.serving.http.HttpAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The OpenAPI documents of the group. The schemas are in {@code schemas.json}, and the paths follow
 * from the resources.
 */
final class OpenApi {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectNode SCHEMAS = schemas();

  /** The options of lists by name, with their types. With {@code watch}, a list is a watch. */
  private static final SortedMap<String, String> LIST_OPTIONS =
      new TreeMap<>(
          Map.of(
              "allowWatchBookmarks", "boolean",
              "continue", "string",
              "fieldSelector", "string",
              "limit", "integer",
              "resourceVersion", "string",
              "resourceVersionMatch", "string",
              "sendInitialEvents", "boolean",
              "timeoutSeconds", "integer",
              "watch", "boolean"));

  /** The options of requests that create a review, by name, with their types. */
  private static final SortedMap<String, String> CREATE_OPTIONS =
      new TreeMap<>(
          Map.of("dryRun", "string", "fieldManager", "string", "fieldValidation", "string"));

  private OpenApi() {}

  private static ObjectNode schemas() {
    try (InputStream file = OpenApi.class.getResourceAsStream("schemas.json")) {
      return (ObjectNode) JSON.readTree(Objects.requireNonNull(file, "schemas.json"));
    } catch (IOException e) {
      throw new UncheckedIOException("schemas.json is in the JAR", e);
    }
  }

  /** Returns the list of the documents of version 3. */
  static HttpAnswer index() {
    ObjectNode index = JsonNodeFactory.instance.objectNode();
    String path = QueryApi.ROOT.substring(1);
    index
        .putObject("paths")
        .putObject(path)
        .put(
            "serverRelativeURL",
            "/openapi/v3/%s?hash=%08X".formatted(path, SCHEMAS.toString().hashCode()));
    return ApiStatus.json(200, index);
  }

  /** Returns the document of version 3. */
  static HttpAnswer v3() {
    ObjectNode document = document("#/components/schemas/").put("openapi", "3.0.0");
    document.putObject("components").set("schemas", named());
    return ApiStatus.json(200, document);
  }

  /** Returns the document of version 2. */
  static HttpAnswer v2() {
    ObjectNode document = document("#/definitions/").put("swagger", "2.0");
    document.set("definitions", named());
    return ApiStatus.json(200, document);
  }

  private static ObjectNode document(String schemaRoot) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.putObject("info").put("title", "Berth").put("version", QueryApi.VERSION);
    ObjectNode paths = document.putObject("paths");
    for (QueryResource resource : QueryResource.values()) {
      describe(
          paths.putObject(resource.path()).putObject(resource.isReview() ? "post" : "get"),
          resource,
          schemaRoot);
      if (resource.isReview()) {
        refusedPatch(
            paths.putObject(resource.path() + "/{name}").putObject("patch"), resource, schemaRoot);
      }
    }
    nodeVerdict(
        paths
            .putObject(
                QueryResource.DECISIONS.path() + "/{name}/" + QueryResource.NODES + "/{node}")
            .putObject("get"),
        schemaRoot);
    return document;
  }

  /**
   * Describes that reviews cannot be changed. kubectl reads from the operation PATCH of a kind
   * whether the server checks {@code fieldValidation}, also if it creates objects. If there is no
   * such operation, it lists CustomResourceDefinitions, and users without that right cannot create
   * reviews.
   */
  private static void refusedPatch(
      ObjectNode operation, QueryResource resource, String schemaRoot) {
    operation.put("description", "Reviews are not stored, so they cannot be changed.");
    ArrayNode parameters =
        identified(operation, "patch" + resource.kind(), "patch", resource.kind());
    if (resource.isNamespaced()) {
      inPath(parameters, "namespace", schemaRoot);
    }
    inPath(parameters, "name", schemaRoot);
    inQuery(parameters, CREATE_OPTIONS, schemaRoot);
    operation.putObject("responses").putObject("405").put("description", "Method Not Allowed");
  }

  /** Says which operation it is, and returns its parameters, of which there are none yet. */
  private static ArrayNode identified(ObjectNode operation, String id, String action, String kind) {
    operation.put("operationId", id).put("x-kubernetes-action", action);
    operation.set("x-kubernetes-group-version-kind", groupVersionKind(kind));
    return operation.putArray("parameters");
  }

  private static void inQuery(
      ArrayNode parameters, SortedMap<String, String> options, String schemaRoot) {
    options.forEach(
        (name, type) ->
            typed(parameters.addObject().put("name", name).put("in", "query"), type, schemaRoot));
  }

  private static void nodeVerdict(ObjectNode operation, String schemaRoot) {
    ArrayNode parameters =
        identified(operation, "readDecisionNode", "get", QueryResource.NODE_VERDICT);
    for (String name : List.of("namespace", "name", "node")) {
      inPath(parameters, name, schemaRoot);
    }
    operation.putObject("responses").putObject("200").put("description", "OK");
  }

  private static void inPath(ArrayNode parameters, String name, String schemaRoot) {
    typed(
        parameters.addObject().put("name", name).put("in", "path").put("required", true),
        "string",
        schemaRoot);
  }

  private static void typed(ObjectNode parameter, String type, String schemaRoot) {
    if (isVersionThree(schemaRoot)) {
      parameter.putObject("schema").put("type", type);
    } else {
      parameter.put("type", type);
    }
  }

  private static boolean isVersionThree(String schemaRoot) {
    return schemaRoot.startsWith("#/components");
  }

  private static void describe(ObjectNode operation, QueryResource resource, String schemaRoot) {
    boolean three = isVersionThree(schemaRoot);
    boolean review = resource.isReview();
    ArrayNode parameters =
        identified(
            operation,
            (review ? "create" : "list") + resource.kind(),
            review ? "post" : "list",
            resource.kind());
    if (resource.isNamespaced()) {
      inPath(parameters, "namespace", schemaRoot);
    }
    inQuery(parameters, review ? CREATE_OPTIONS : LIST_OPTIONS, schemaRoot);
    String schema = schemaRoot + schemaName(resource.kind());
    if (review && !three) {
      parameters
          .addObject()
          .put("name", "body")
          .put("in", "body")
          .put("required", true)
          .putObject("schema")
          .put("$ref", schema);
    }
    if (review && three) {
      operation
          .putObject("requestBody")
          .putObject("content")
          .putObject("application/json")
          .putObject("schema")
          .put("$ref", schema);
    }
    operation.putObject("responses").putObject(review ? "201" : "200").put("description", "OK");
  }

  private static String schemaName(String kind) {
    return "com.ctrip.cloud.sched.query." + QueryApi.VERSION + "." + kind;
  }

  private static ObjectNode named() {
    ObjectNode schemas = JsonNodeFactory.instance.objectNode();
    SCHEMAS
        .properties()
        .forEach(
            schema -> {
              ObjectNode copy = schema.getValue().deepCopy();
              copy.putArray("x-kubernetes-group-version-kind")
                  .add(groupVersionKind(schema.getKey()));
              schemas.set(schemaName(schema.getKey()), copy);
            });
    return schemas;
  }

  private static ObjectNode groupVersionKind(String kind) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("group", QueryApi.GROUP)
        .put("version", QueryApi.VERSION)
        .put("kind", kind);
  }
}
