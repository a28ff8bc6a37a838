package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** Access to the entries of status.conditions. */
final class Conditions {
  private Conditions() {}

  static Optional<JsonNode> find(JsonNode object, String type) {
    for (JsonNode condition : object.path("status").path("conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return Optional.of(condition);
      }
    }
    return Optional.empty();
  }

  static boolean isTrue(JsonNode object, String type) {
    return find(object, type)
        .filter(condition -> condition.path("status").asText().equals("True"))
        .isPresent();
  }

  /**
   * Sets a condition, in place. {@code lastTransitionTime} changes only if the condition's status
   * does.
   */
  static void set(
      ObjectNode object, String type, String status, String reason, String message, String now) {
    ArrayNode conditions = object.withObjectProperty("status").withArrayProperty("conditions");
    ObjectNode found = null;
    for (JsonNode condition : conditions) {
      if (condition.path("type").asText().equals(type)) {
        found = (ObjectNode) condition;
      }
    }
    if (found == null) {
      found = conditions.addObject().put("type", type);
    }
    if (!found.path("status").asText().equals(status)) {
      found.put("status", status).put("lastTransitionTime", now);
    }
    found.remove("reason");
    found.remove("message");
    if (!reason.isEmpty()) {
      found.put("reason", reason);
    }
    if (!message.isEmpty()) {
      found.put("message", message);
    }
  }
}
