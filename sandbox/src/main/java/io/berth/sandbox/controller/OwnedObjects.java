package io.berth.sandbox.controller;

import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An index of the objects of one kind by the UID of their controller. Controllers add their own
 * writes immediately, so that they never act on a state that predates them; older versions that
 * arrive later through a feed are ignored. Thread-safe.
 */
final class OwnedObjects {
  private final Map<ObjectKey, StoredObject> objects = new HashMap<>();
  private final Map<String, TreeMap<ObjectKey, StoredObject>> byOwner = new HashMap<>();

  /**
   * Adds a version of an object and returns the version it replaces; empty if there is none or if
   * the known version is not older.
   */
  synchronized Optional<StoredObject> put(StoredObject object) {
    StoredObject known = objects.get(object.key());
    if (known != null && known.resourceVersion() >= object.resourceVersion()) {
      return Optional.empty();
    }
    if (known != null) {
      unlink(known);
    }
    objects.put(object.key(), object);
    controller(object.json())
        .ifPresent(
            owner ->
                byOwner
                    .computeIfAbsent(uid(owner), ignored -> new TreeMap<>())
                    .put(object.key(), object));
    return Optional.ofNullable(known);
  }

  private static String uid(JsonNode owner) {
    return owner.path("uid").asText();
  }

  synchronized void remove(ObjectKey key) {
    StoredObject known = objects.remove(key);
    if (known != null) {
      unlink(known);
    }
  }

  private void unlink(StoredObject object) {
    controller(object.json())
        .ifPresent(
            owner ->
                byOwner.computeIfPresent(
                    uid(owner),
                    (uid, siblings) -> {
                      siblings.remove(object.key());
                      return siblings.isEmpty() ? null : siblings;
                    }));
  }

  synchronized List<StoredObject> of(String ownerUid) {
    return new ArrayList<>(byOwner.getOrDefault(ownerUid, new TreeMap<>()).values());
  }

  /** Returns the owner reference that is marked as controller. */
  static Optional<JsonNode> controller(JsonNode object) {
    for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return Optional.of(owner);
      }
    }
    return Optional.empty();
  }
}
