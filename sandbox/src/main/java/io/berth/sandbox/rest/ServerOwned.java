package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.kind.KindRules;
import io.berth.sandbox.resource.ResourceType;
import java.util.Set;

/**
 * The fields that clients cannot change with an update: metadata set by the server, and fields
 * outside of the subresource.
 */
final class ServerOwned {
  private static final Set<String> METADATA =
      Set.of(
          "uid",
          "creationTimestamp",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "generation",
          "namespace",
          "name");

  private ServerOwned() {}

  /**
   * Restores the fields that a client may not change, in place.
   *
   * @param subresource the subresource that is written; empty for the object itself
   * @param old the current version
   */
  static void restore(
      ResourceType type, KindRules rules, String subresource, ObjectNode next, ObjectNode old) {
    ObjectNode metadata = next.withObjectProperty("metadata");
    JsonNode before = old.path("metadata");
    for (String owned : METADATA) {
      if (before.has(owned)) {
        metadata.set(owned, before.path(owned));
      } else {
        metadata.remove(owned);
      }
    }
    next.set("apiVersion", type.custom() ? old.path("apiVersion") : next.path("apiVersion"));
    if (subresource.equals("status")) {
      JsonNode status = next.path("status");
      if (type.custom()) {
        JsonNode managed = metadata.path("managedFields");
        next.set("metadata", before.deepCopy());
        if (!managed.isMissingNode()) {
          next.withObjectProperty("metadata").set("managedFields", managed);
        }
      }
      for (String field : Differences.names(next)) {
        if (!Set.of("metadata", "status", "apiVersion", "kind").contains(field)) {
          next.remove(field);
        }
      }
      old.properties()
          .forEach(
              field -> {
                if (!next.has(field.getKey()) && !field.getKey().equals("status")) {
                  next.set(field.getKey(), field.getValue().deepCopy());
                }
              });
      if (status.isMissingNode()) {
        next.remove("status");
      }
      return;
    }
    if (type.subresources().contains("status")) {
      if (old.has("status")) {
        next.set("status", old.path("status").deepCopy());
      } else {
        next.remove("status");
      }
    }
    if (rules.changesSpecThrough(subresource)) {
      next.set("metadata", before.deepCopy());
      return;
    }
    rules.prepareForUpdate(next, old);
    if (!subresource.isEmpty()) {
      rules.prepareForUpdate(subresource, next, old);
    }
  }
}
