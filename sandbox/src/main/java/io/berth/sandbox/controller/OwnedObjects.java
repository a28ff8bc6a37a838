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
 * Objects of one kind by their controller's UID. What a controller wrote itself is put in at once,
 * so that it never acts on less than it knows; older versions that a feed brings later are ignored.
 */
final class OwnedObjects {
  private final Map<ObjectKey, StoredObject> objects = new HashMap<>();
  private final Map<String, TreeMap<ObjectKey, StoredObject>> byOwner = new HashMap<>();

  synchronized void put(StoredObject object) {
    StoredObject known = objects.get(object.key());
    if (known != null && known.resourceVersion() >= object.resourceVersion()) {
      return;
    }
    if (known != null) {
      unlink(known);
    }
    objects.put(object.key(), object);
    controller(object.json())
        .ifPresent(
            owner ->
                byOwner
                    .computeIfAbsent(owner.path("uid").asText(), ignored -> new TreeMap<>())
                    .put(object.key(), object));
  }

  synchronized void remove(ObjectKey key) {
    StoredObject known = objects.remove(key);
    if (known != null) {
      unlink(known);
    }
  }

  private void unlink(StoredObject object) {
    controller(object.json())
        .map(owner -> owner.path("uid").asText())
        .ifPresent(
            uid -> {
              TreeMap<ObjectKey, StoredObject> siblings = byOwner.get(uid);
              if (siblings != null) {
                siblings.remove(object.key());
                if (siblings.isEmpty()) {
                  byOwner.remove(uid);
                }
              }
            });
  }

  synchronized List<StoredObject> of(String ownerUid) {
    return new ArrayList<>(byOwner.getOrDefault(ownerUid, new TreeMap<>()).values());
  }

  /** The owner reference that is marked as controller. */
  static Optional<JsonNode> controller(JsonNode object) {
    for (JsonNode owner : object.path("metadata").path("ownerReferences")) {
      if (owner.path("controller").asBoolean()) {
        return Optional.of(owner);
      }
    }
    return Optional.empty();
  }
}
