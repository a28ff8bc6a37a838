package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Conversion of stored objects to the API version of a request, which nearly always is the stored
 * version.
 */
public final class Views {
  private static final String EVENTS = "events.k8s.io";

  /** The field names of events, from core to events.k8s.io. */
  private static final Map<String, String> EVENT_FIELDS =
      Map.of(
          "involvedObject", "regarding",
          "message", "note",
          "reportingComponent", "reportingController",
          "source", "deprecatedSource",
          "firstTimestamp", "deprecatedFirstTimestamp",
          "lastTimestamp", "deprecatedLastTimestamp",
          "count", "deprecatedCount");

  private Views() {}

  private static boolean asStored(ResourceType type) {
    return !type.custom() && !type.group().equals(EVENTS);
  }

  /** Returns the object in the version of {@code type}, as UTF-8. */
  public static byte[] bytes(ResourceType type, StoredObject object) {
    if (asStored(type) || storedIn(type, object)) {
      return object.bytes();
    }
    return Json.write(tree(type, object));
  }

  private static boolean storedIn(ResourceType type, StoredObject object) {
    return type.custom() && object.json().path("apiVersion").asText().equals(type.apiVersion());
  }

  /** Returns the object in the version of {@code type}. Must not be modified. */
  public static ObjectNode tree(ResourceType type, StoredObject object) {
    ObjectNode stored = object.json();
    if (asStored(type) || stored.path("apiVersion").asText().equals(type.apiVersion())) {
      return stored;
    }
    return type.custom() ? withVersion(stored, type.apiVersion()) : eventFromCore(stored);
  }

  /** Converts an object that a client sent in the version of {@code type} to the stored version. */
  static ObjectNode toStored(ResourceType type, ObjectNode object) {
    return type.group().equals(EVENTS) ? eventToCore(object) : object;
  }

  private static ObjectNode withVersion(ObjectNode stored, String apiVersion) {
    ObjectNode shown = Json.object();
    shown.setAll(stored);
    shown.put("apiVersion", apiVersion);
    return shown;
  }

  private static ObjectNode eventFromCore(ObjectNode core) {
    ObjectNode event = renamed(core, EVENT_FIELDS);
    event.put("apiVersion", EVENTS + "/v1");
    return event;
  }

  private static ObjectNode eventToCore(ObjectNode event) {
    Map<String, String> back =
        EVENT_FIELDS.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getValue, Map.Entry::getKey));
    ObjectNode core = renamed(event, back);
    core.put("apiVersion", "v1");
    return core;
  }

  private static ObjectNode renamed(ObjectNode from, Map<String, String> names) {
    ObjectNode to = Json.object();
    for (Map.Entry<String, JsonNode> field : from.properties()) {
      to.set(names.getOrDefault(field.getKey(), field.getKey()), field.getValue());
    }
    return to;
  }
}
