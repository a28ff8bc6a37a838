package io.berth.crds.generate;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Set;

/**
 * Completes a generated definition with list types, the validation rules and descriptions of
 * Kubernetes types, the descriptions of the top-level fields, and integer types.
 */
final class SchemaCompletion {

  private static final Map<String, String> MAP_KEYS =
      Map.of(
          "parameters", "name",
          "predicates", "name",
          "priorities", "name",
          "nodeConfigs", "name",
          "podConfigs", "name",
          "managedResources", "name",
          "conditions", "type");
  private static final Set<String> SETS = Set.of("names", "fields", "models");
  private static final Set<String> PLAIN_SELECTORS =
      Set.of("selector", "podSelector", "namespaceSelector");
  private static final Set<String> TIMES = Set.of("servingSince", "lastTransitionTime");

  private SchemaCompletion() {}

  static void complete(ObjectNode definition) {
    String kind = definition.at("/spec/names/kind").asText();
    ObjectNode root = (ObjectNode) definition.at("/spec/versions/0/schema/openAPIV3Schema");
    ObjectNode spec = (ObjectNode) root.at("/properties/spec");
    ObjectNode status = (ObjectNode) root.at("/properties/status");
    definition.withObject("/spec/names").put("listKind", kind + "List");
    walk("", root);
    root.put("description", KubernetesSchemas.kindDescription(kind));
    root.withArray("required").add("spec");
    ObjectNode properties = root.objectNode();
    properties.set("apiVersion", KubernetesSchemas.apiVersion());
    properties.set("kind", KubernetesSchemas.kind());
    properties.set("metadata", root.objectNode().put("type", "object"));
    properties.set("spec", spec.put("description", "The desired state of the object."));
    properties.set(
        "status",
        status.put(
            "description", "The observed state of the object. It is written by Berth only."));
    root.set("properties", properties);
  }

  private static void walk(String name, ObjectNode schema) {
    if (TIMES.contains(name)) {
      schema.put("format", "date-time");
    }
    wholeNumber(schema, "minimum");
    wholeNumber(schema, "maximum");
    if (schema.path("type").asText().equals("array")) {
      if (name.equals("conditions")) {
        schema.set("items", KubernetesSchemas.condition());
      }
      listType(name, schema);
    }
    JsonNode properties = schema.path("properties");
    if (PLAIN_SELECTORS.contains(name) && properties.has("matchLabels") && !properties.has("$if")) {
      KubernetesSchemas.completeLabelSelector(schema);
    }
    schema
        .path("properties")
        .properties()
        .forEach(entry -> walk(entry.getKey(), (ObjectNode) entry.getValue()));
    if (schema.get("items") instanceof ObjectNode items) {
      walk("", items);
    }
    if (schema.get("additionalProperties") instanceof ObjectNode values) {
      walk("", values);
    }
    templatedText(schema);
  }

  private static void listType(String name, ObjectNode schema) {
    String key = MAP_KEYS.get(name);
    if (key != null && schema.at("/items/properties").has(key)) {
      schema.putArray("x-kubernetes-list-map-keys").add(key);
      schema.put("x-kubernetes-list-type", "map");
    } else {
      schema.put("x-kubernetes-list-type", SETS.contains(name) ? "set" : "atomic");
    }
  }

  /**
   * Accepts numbers without quotes in template values that become strings in the pod, because users
   * often omit the quotes in YAML.
   */
  private static void templatedText(ObjectNode schema) {
    JsonNode properties = schema.path("properties");
    if (properties.has("$if")) {
      if (properties.at("/values/items") instanceof ObjectNode item) {
        replaceByIntOrString(item);
      }
      if (properties.at("/matchLabels/additionalProperties") instanceof ObjectNode value) {
        replaceByIntOrString(value);
      }
    }
  }

  private static void replaceByIntOrString(ObjectNode scalar) {
    scalar.remove("type");
    ArrayNode types = scalar.putArray("anyOf");
    types.addObject().put("type", "integer");
    types.addObject().put("type", "string");
    scalar.put("x-kubernetes-int-or-string", true);
  }

  private static void wholeNumber(ObjectNode schema, String field) {
    JsonNode value = schema.path(field);
    if (value.isDouble() && value.doubleValue() == Math.rint(value.doubleValue())) {
      schema.put(field, value.longValue());
    }
  }
}
