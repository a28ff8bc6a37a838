package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.resource.ResourceType;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The differences of two versions of an object. */
final class Differences {
  private Differences() {}

  /** Returns whether a write would change nothing that lasts. */
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

  /** Metadata without what changes with every write. */
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
   * Returns whether nothing but metadata and status differs; for custom resources without a status
   * subresource, nothing but metadata.
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
