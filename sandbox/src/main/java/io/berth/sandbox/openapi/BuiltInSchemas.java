package io.berth.sandbox.openapi;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.release.ApiField;
import io.berth.sandbox.release.ApiType;
import io.berth.sandbox.release.ApiTypes;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.NewerFields;
import io.berth.sandbox.release.NewerFields.NewerField;
import io.berth.sandbox.store.Json;
import java.util.List;
import java.util.Map;

/**
 * The OpenAPI schemas of all built-in API types, with the definition names of the real API server.
 */
final class BuiltInSchemas {
  static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  private static final String QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
  private static final String INT_OR_STRING = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";

  /** The schema keywords of traits whose values are copied unchanged. */
  private static final Map<String, String> KEYWORDS =
      Map.of(
          "list", "x-kubernetes-list-type",
          "map", "x-kubernetes-map-type",
          "patch", "x-kubernetes-patch-strategy",
          "mergeKey", "x-kubernetes-patch-merge-key");

  private BuiltInSchemas() {}

  /** Creates the definitions of a Kubernetes version, by name. */
  static ObjectNode definitions(KubernetesVersion version) {
    ObjectNode definitions = Json.object();
    definitions.putObject(QUANTITY).putArray("oneOf").add(typed("string")).add(typed("number"));
    definitions
        .putObject(INT_OR_STRING)
        .put("format", "int-or-string")
        .putArray("oneOf")
        .add(typed("integer"))
        .add(typed("string"));
    for (ApiType type : ApiTypes.get().all()) {
      definitions.set(type.openApiName(), type.union() ? any() : schema(type));
    }
    for (NewerField field : NewerFields.all()) {
      if (!version.isAtLeast(field.since())) {
        ObjectNode schema =
            (ObjectNode) definitions.path(ApiTypes.get().named(field.type()).openApiName());
        schema.withObjectProperty("properties").remove(field.json());
      }
    }
    return definitions;
  }

  private static ObjectNode schema(ApiType type) {
    ObjectNode schema = typed("object");
    if (!type.apiVersion().isEmpty()) {
      ObjectNode properties = schema.putObject("properties");
      properties.set("apiVersion", typed("string"));
      properties.set("kind", typed("string"));
    }
    if (type.atomic()) {
      schema.put(KEYWORDS.get("map"), "atomic");
    }
    addFields(schema, type);
    return schema;
  }

  private static void addFields(ObjectNode schema, ApiType type) {
    for (ApiField field : type.fields()) {
      if (field.inlined()) {
        addFields(schema, ApiTypes.get().named(field.type()));
      } else {
        schema.withObjectProperty("properties").set(field.json(), property(field));
        if (field.required()) {
          schema.withArrayProperty("required").add(field.json());
        }
      }
    }
  }

  private static ObjectNode property(ApiField field) {
    ObjectNode value = ofType(field.type());
    field
        .trait("enum")
        .ifPresent(
            values -> List.of(values.split("\\|", -1)).forEach(value.withArray("enum")::add));
    ObjectNode property =
        switch (field.shape()) {
          case LIST -> typed("array").set("items", value);
          case MAP -> typed("object").set("additionalProperties", value);
          case PLAIN, SHOWN, OPTIONAL -> value;
        };
    KEYWORDS.forEach(
        (trait, keyword) -> field.trait(trait).ifPresent(text -> property.put(keyword, text)));
    field
        .trait("keys")
        .ifPresent(
            keys ->
                List.of(keys.split(",", -1))
                    .forEach(property.putArray("x-kubernetes-list-map-keys")::add));
    field.trait("default").ifPresent(text -> putDefault(property, field.type(), text));
    return property;
  }

  private static void putDefault(ObjectNode property, String type, String text) {
    switch (type) {
      case "int32", "int64" -> property.put("default", Long.parseLong(text));
      case "bool" -> property.put("default", Boolean.parseBoolean(text));
      default -> property.put("default", text);
    }
  }

  private static ObjectNode ofType(String type) {
    return switch (type) {
      case "text" -> typed("string");
      case "bool" -> typed("boolean");
      case "int32", "int64" -> typed("integer").put("format", type);
      case "double" -> typed("number").put("format", "double");
      case "bytes" -> typed("string").put("format", "byte");
      case "time", "microTime" -> typed("string").put("format", "date-time");
      case "strings" -> typed("array").set("items", typed("string"));
      case "json" -> any();
      case "quantity" -> reference(QUANTITY);
      case "intOrString" -> reference(INT_OR_STRING);
      default -> reference(ApiTypes.get().named(type).openApiName());
    };
  }

  private static ObjectNode any() {
    return Json.object().put("x-kubernetes-preserve-unknown-fields", true);
  }

  private static ObjectNode reference(String definition) {
    return Json.object().put("$ref", "#/components/schemas/" + definition);
  }

  private static ObjectNode typed(String type) {
    return Json.object().put("type", type);
  }
}
