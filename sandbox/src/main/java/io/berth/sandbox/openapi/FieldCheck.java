package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.resource.ResourceType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Field checks equivalent to decoding built-in objects into Go structs: unknown fields and nulls
 * are dropped, and values of the wrong type are rejected. Schemas are compiled once into plain
 * maps, because this check is part of every write.
 */
public final class FieldCheck {
  private final SchemaCatalog catalog;
  private final Map<String, Shape> shapes = new ConcurrentHashMap<>();

  /** Creates a check against the built-in schemas of a catalog. */
  public FieldCheck(SchemaCatalog catalog) {
    this.catalog = catalog;
    catalog.definitions().fieldNames().forEachRemaining(this::shapeOf);
  }

  /** The compiled schema of a value. */
  private sealed interface Shape {
    record Any() implements Shape {}

    record Scalar(String type, boolean stringToo) implements Shape {}

    record Items(Shape item) implements Shape {}

    record Values(Shape value) implements Shape {}

    record Fields(Map<String, Shape> byName) implements Shape {}
  }

  /**
   * Removes unknown fields and nulls from an object of a built-in kind, in place.
   *
   * @return the paths of the unknown fields that were removed
   * @throws ApiException 400 if a value has the wrong type
   */
  public List<String> clean(ResourceType type, ObjectNode object) {
    List<String> unknown = new ArrayList<>();
    walk(shapeOf(catalog.nameOf(type)), object, "", type, unknown);
    return unknown;
  }

  /** Cleans the metadata of an object of any kind, in place, like {@link #clean}. */
  public List<String> cleanMetadata(ResourceType type, ObjectNode object) {
    List<String> unknown = new ArrayList<>();
    JsonNode metadata = object.path("metadata");
    if (!metadata.isMissingNode()) {
      walk(shapeOf(BuiltInSchemas.META + "ObjectMeta"), metadata, "metadata", type, unknown);
    }
    return unknown;
  }

  private Shape shapeOf(String definition) {
    Shape known = shapes.get(definition);
    if (known == null) {
      Map<String, Shape> byName = new HashMap<>();
      known = new Shape.Fields(byName);
      Shape before = shapes.putIfAbsent(definition, known);
      if (before != null) {
        return before;
      }
      fill(byName, catalog.definitions().path(definition));
      if (byName.isEmpty()) {
        known = scalarOrAny(catalog.definitions().path(definition));
        shapes.put(definition, known);
      }
    }
    return known;
  }

  private void fill(Map<String, Shape> byName, JsonNode schema) {
    schema
        .path("properties")
        .properties()
        .forEach(property -> byName.put(property.getKey(), compile(property.getValue())));
  }

  private Shape compile(JsonNode schema) {
    if (schema.has("$ref")) {
      String ref = schema.path("$ref").asText();
      return shapeOf(ref.substring(ref.lastIndexOf('/') + 1));
    }
    return switch (schema.path("type").asText()) {
      case "array" -> new Shape.Items(compile(schema.path("items")));
      case "object" ->
          schema.has("additionalProperties")
              ? new Shape.Values(compile(schema.path("additionalProperties")))
              : new Shape.Any();
      default -> scalarOrAny(schema);
    };
  }

  private static Shape scalarOrAny(JsonNode schema) {
    if (schema.has("oneOf")) {
      return new Shape.Scalar("number", true);
    }
    String type = schema.path("type").asText();
    return type.isEmpty() || type.equals("object")
        ? new Shape.Any()
        : new Shape.Scalar(type, false);
  }

  private void walk(
      Shape shape, JsonNode value, String path, ResourceType type, List<String> unknown) {
    switch (shape) {
      case Shape.Any any -> {}
      case Shape.Scalar scalar -> {
        if (!fits(scalar, value)) {
          throw wrong(type, path, value, scalar.type());
        }
      }
      case Shape.Items items -> {
        if (!(value instanceof ArrayNode list)) {
          throw wrong(type, path, value, "array");
        }
        for (int i = 0; i < list.size(); i++) {
          walk(items.item(), list.get(i), path + "[" + i + "]", type, unknown);
        }
      }
      case Shape.Values values -> {
        for (Iterator<Map.Entry<String, JsonNode>> each = fields(value, path, type);
            each.hasNext(); ) {
          Map.Entry<String, JsonNode> entry = each.next();
          if (entry.getValue().isNull()) {
            each.remove();
          } else {
            walk(values.value(), entry.getValue(), path + "." + entry.getKey(), type, unknown);
          }
        }
      }
      case Shape.Fields fields -> {
        for (Iterator<Map.Entry<String, JsonNode>> each = fields(value, path, type);
            each.hasNext(); ) {
          Map.Entry<String, JsonNode> entry = each.next();
          String at = path.isEmpty() ? entry.getKey() : path + "." + entry.getKey();
          @Nullable Shape field = fields.byName().get(entry.getKey());
          if (field == null) {
            unknown.add(at);
            each.remove();
          } else if (entry.getValue().isNull()) {
            each.remove();
          } else {
            walk(field, entry.getValue(), at, type, unknown);
          }
        }
      }
    }
  }

  private static Iterator<Map.Entry<String, JsonNode>> fields(
      JsonNode value, String path, ResourceType type) {
    if (!(value instanceof ObjectNode object)) {
      throw wrong(type, path, value, "object");
    }
    return object.properties().iterator();
  }

  private static boolean fits(Shape.Scalar scalar, JsonNode value) {
    return switch (scalar.type()) {
      case "string" -> value.isTextual();
      case "boolean" -> value.isBoolean();
      case "integer" -> value.isIntegralNumber();
      default -> value.isNumber() || (scalar.stringToo() && value.isTextual());
    };
  }

  private static ApiException wrong(
      ResourceType type, String path, JsonNode value, String expected) {
    String found =
        switch (value.getNodeType()) {
          case STRING -> "string";
          case NUMBER -> "number" + (expected.equals("integer") ? " " + value.asText() : "");
          case BOOLEAN -> "bool";
          case ARRAY -> "array";
          case OBJECT -> "object";
          default -> "null";
        };
    String goType =
        switch (expected) {
          case "integer" -> "int64";
          case "boolean" -> "bool";
          case "number" -> "float64";
          case "array" -> "slice";
          case "object" -> "struct";
          default -> expected;
        };
    return Failures.badRequest(
        String.format(
            "%s in version \"%s\" cannot be handled as a %s: json: cannot unmarshal %s into Go"
                + " struct field %s.%s of type %s",
            type.kind(), type.version(), type.kind(), found, type.kind(), path, goType));
  }
}
