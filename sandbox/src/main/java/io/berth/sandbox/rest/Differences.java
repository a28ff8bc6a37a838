package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Comparison of two versions of an object. */
final class Differences {
  private Differences() {}

  /** Returns whether a write is a no-op, ignoring metadata that changes with every write. */
  static boolean none(ObjectNode next, ObjectNode old) {
    if (next.path("metadata").path("managedFields").size()
        != old.path("metadata").path("managedFields").size()) {
      return false;
    }
    return sameBesides(next, old, "metadata")
        && lasting(next.path("metadata")).equals(lasting(old.path("metadata")));
  }

  private static boolean sameBesides(ObjectNode one, ObjectNode other, String ignored) {
    return names(one).stream()
            .filter(field -> !field.equals(ignored))
            .allMatch(field -> one.path(field).equals(other.path(field)))
        && names(other).stream().filter(field -> !field.equals(ignored)).allMatch(one::has);
  }

  /** Returns metadata without the fields that change with every write. */
  private static ObjectNode lasting(JsonNode metadata) {
    ObjectNode lasting = metadata.deepCopy();
    lasting.remove("resourceVersion");
    lasting.path("managedFields").forEach(entry -> ((ObjectNode) entry).remove("time"));
    if (lasting.path("managedFields").isEmpty()) {
      lasting.remove("managedFields");
    }
    return lasting;
  }

  /**
   * Returns whether two versions differ only in metadata and, for resources with a status
   * subresource, in status.
   */
  static boolean sameDesire(ResourceType type, ObjectNode next, ObjectNode old) {
    Set<String> ignored =
        type.subresources().contains("status")
            ? Set.of("metadata", "status", "apiVersion")
            : Set.of("metadata", "apiVersion");
    return names(next).stream()
            .filter(field -> !ignored.contains(field))
            .allMatch(field -> next.path(field).equals(old.path(field)))
        && names(old).stream().filter(field -> !ignored.contains(field)).allMatch(next::has);
  }

  static List<String> names(ObjectNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }
}
