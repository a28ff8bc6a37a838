package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.Predicate;

/** Removal of owner references and finalizers from an object. */
final class MetadataLists {
  private MetadataLists() {}

  /** Removes the references to an owner, in place, and returns whether there was one. */
  static boolean dropOwner(ObjectNode object, String uid) {
    return drop(object, "ownerReferences", item -> item.path("uid").asText().equals(uid));
  }

  /** Removes a finalizer, in place, and returns whether it was present. */
  static boolean dropFinalizer(ObjectNode object, String finalizer) {
    return drop(object, "finalizers", item -> item.asText().equals(finalizer));
  }

  private static boolean drop(ObjectNode object, String list, Predicate<JsonNode> unwanted) {
    if (!(object.path("metadata").get(list) instanceof ArrayNode items)) {
      return false;
    }
    boolean changed = false;
    for (int i = items.size() - 1; i >= 0; i--) {
      if (unwanted.test(items.get(i))) {
        items.remove(i);
        changed = true;
      }
    }
    if (items.isEmpty()) {
      object.withObject("metadata").remove(list);
    }
    return changed;
  }
}
