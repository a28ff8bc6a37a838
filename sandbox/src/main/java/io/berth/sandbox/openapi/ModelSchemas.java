package io.berth.sandbox.openapi;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import io.fabric8.kubernetes.api.model.FieldsV1;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.MicroTime;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsOrArray;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsOrBool;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsOrStringArray;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Generates OpenAPI schemas from the model classes, under the names that the real API server gives
 * them.
 */
final class ModelSchemas {
  static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
  private static final String MODEL = "io.fabric8.kubernetes.api.model";
  private static final Set<String> META_TYPES =
      Set.of(
          "APIResource",
          "Condition",
          "DeleteOptions",
          "FieldSelectorRequirement",
          "LabelSelector",
          "LabelSelectorRequirement",
          "ListMeta",
          "ManagedFieldsEntry",
          "ObjectMeta",
          "OwnerReference",
          "Preconditions",
          "Status",
          "StatusCause",
          "StatusDetails");
  private static final Map<String, String> PACKAGES =
      Map.ofEntries(
          Map.entry("", "io.k8s.api.core.v1."),
          Map.entry("admissionregistration.v1", "io.k8s.api.admissionregistration.v1."),
          Map.entry(
              "apiextensions.v1", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."),
          Map.entry("apps", "io.k8s.api.apps.v1."),
          Map.entry("authentication", "io.k8s.api.authentication.v1."),
          Map.entry("authorization.v1", "io.k8s.api.authorization.v1."),
          Map.entry("batch.v1", "io.k8s.api.batch.v1."),
          Map.entry("coordination.v1", "io.k8s.api.coordination.v1."),
          Map.entry("discovery.v1", "io.k8s.api.discovery.v1."),
          Map.entry("events.v1", "io.k8s.api.events.v1."),
          Map.entry("node.v1", "io.k8s.api.node.v1."),
          Map.entry("policy.v1", "io.k8s.api.policy.v1."),
          Map.entry("rbac", "io.k8s.api.rbac.v1."),
          Map.entry("flowcontrol.v1", "io.k8s.api.flowcontrol.v1."),
          Map.entry("scheduling.v1", "io.k8s.api.scheduling.v1."),
          Map.entry("storage", "io.k8s.api.storage.v1."));

  /** Fields that the API knows by another shape than the model class gives them. */
  private static final Set<String> TIMES =
      Set.of(
          "creationTimestamp",
          "deletionTimestamp",
          "lastTransitionTime",
          "lastHeartbeatTime",
          "lastProbeTime",
          "lastUpdateTime",
          "firstTimestamp",
          "lastTimestamp",
          "startTime",
          "completionTime",
          "startedAt",
          "finishedAt",
          "timeAdded",
          "time");

  private final SchemaTraits traits = SchemaTraits.load();
  private final ObjectNode definitions = Json.object();

  /** All definitions made so far, by name. */
  ObjectNode definitions() {
    return definitions;
  }

  /** Makes the definition of a class and of all it refers to; returns its name. */
  String define(Class<?> model) {
    String name = nameOf(model);
    if (definitions.has(name)) {
      return name;
    }
    ObjectNode schema = definitions.putObject(name);
    schema.put("type", "object");
    for (Class<?> at = model; at != null && at != Object.class; at = at.getSuperclass()) {
      for (Field field : at.getDeclaredFields()) {
        JsonProperty property = field.getAnnotation(JsonProperty.class);
        if (property != null && !Modifier.isStatic(field.getModifiers())) {
          String jsonName = property.value().isEmpty() ? field.getName() : property.value();
          schema
              .withObjectProperty("properties")
              .set(jsonName, schemaOf(jsonName, field.getGenericType()));
        }
      }
    }
    traits.addTo(name, schema);
    return name;
  }

  private static String nameOf(Class<?> model) {
    String simple = model.getSimpleName();
    if (META_TYPES.contains(simple)) {
      return META + simple;
    }
    String within = model.getPackageName().substring(MODEL.length());
    String prefix = PACKAGES.get(within.isEmpty() ? "" : within.substring(1));
    if (prefix == null) {
      throw new IllegalStateException("no API package is known for " + model.getName());
    }
    return prefix + simple;
  }

  private ObjectNode schemaOf(String name, Type type) {
    if (type instanceof ParameterizedType generic) {
      Class<?> raw = (Class<?>) generic.getRawType();
      Type last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      if (Map.class.isAssignableFrom(raw)) {
        ObjectNode map = Json.object().put("type", "object");
        map.set("additionalProperties", schemaOf("", last));
        return map;
      }
      if (List.class.isAssignableFrom(raw)) {
        ObjectNode list = Json.object().put("type", "array");
        list.set("items", schemaOf("", last));
        return list;
      }
    }
    return type instanceof Class<?> simple ? ofClass(name, simple) : any();
  }

  private ObjectNode ofClass(String name, Class<?> type) {
    if (type == String.class) {
      ObjectNode string = Json.object().put("type", "string");
      return TIMES.contains(name) ? string.put("format", "date-time") : string;
    }
    if (type == ZonedDateTime.class || type == MicroTime.class) {
      return Json.object().put("type", "string").put("format", "date-time");
    }
    if (type == Boolean.class || type == boolean.class) {
      return Json.object().put("type", "boolean");
    }
    if (type == Integer.class || type == int.class) {
      return Json.object().put("type", "integer").put("format", "int32");
    }
    if (type == Long.class || type == long.class) {
      return Json.object().put("type", "integer").put("format", "int64");
    }
    if (type == Double.class || type == Float.class) {
      return Json.object().put("type", "number").put("format", "double");
    }
    if (type == Quantity.class) {
      return reference(quantity());
    }
    if (type == IntOrString.class) {
      return reference(intOrString());
    }
    if (type.isEnum()) {
      return Json.object().put("type", "string");
    }
    if (!type.getName().startsWith(MODEL) || opaque(type)) {
      return any();
    }
    return reference(define(type));
  }

  private static boolean opaque(Class<?> type) {
    return type == FieldsV1.class
        || type == JSONSchemaPropsOrArray.class
        || type == JSONSchemaPropsOrBool.class
        || type == JSONSchemaPropsOrStringArray.class
        || type.isInterface()
        || JsonNode.class.isAssignableFrom(type)
        || type.getSimpleName().equals("RawExtension");
  }

  private static ObjectNode any() {
    return Json.object().put("x-kubernetes-preserve-unknown-fields", true);
  }

  private static ObjectNode reference(String definition) {
    return Json.object().put("$ref", "#/components/schemas/" + definition);
  }

  private String quantity() {
    String name = "io.k8s.apimachinery.pkg.api.resource.Quantity";
    if (!definitions.has(name)) {
      ObjectNode schema = definitions.putObject(name);
      schema.putArray("oneOf").add(typed("string")).add(typed("number"));
    }
    return name;
  }

  private String intOrString() {
    String name = "io.k8s.apimachinery.pkg.util.intstr.IntOrString";
    if (!definitions.has(name)) {
      ObjectNode schema = definitions.putObject(name);
      schema.put("format", "int-or-string");
      schema.putArray("oneOf").add(typed("integer")).add(typed("string"));
    }
    return name;
  }

  private static ObjectNode typed(String type) {
    return Json.object().put("type", type);
  }
}
