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
  private final Map<String, TreeMap<ObjectKey, StoredObject>> orphans = new HashMap<>();

  /** Takes in a version, and returns the one that it replaces. */
  synchronized Optional<StoredObject> put(StoredObject object) {
    StoredObject known = objects.get(object.key());
    if (known != null && known.resourceVersion() >= object.resourceVersion()) {
      return Optional.empty();
    }
    if (known != null) {
      unlink(known);
    }
    objects.put(object.key(), object);
    Optional<JsonNode> owner = controller(object.json());
    var groups = owner.isPresent() ? byOwner : orphans;
    groups
        .computeIfAbsent(group(object, owner), ignored -> new TreeMap<>())
        .put(object.key(), object);
    return Optional.ofNullable(known);
  }

  private static String group(StoredObject object, Optional<JsonNode> owner) {
    return owner.map(each -> each.path("uid").asText()).orElse(object.key().namespace());
  }

  synchronized void remove(ObjectKey key) {
    StoredObject known = objects.remove(key);
    if (known != null) {
      unlink(known);
    }
  }

  private void unlink(StoredObject object) {
    Optional<JsonNode> owner = controller(object.json());
    var groups = owner.isPresent() ? byOwner : orphans;
    groups.computeIfPresent(
        group(object, owner),
        (group, siblings) -> {
          siblings.remove(object.key());
          return siblings.isEmpty() ? null : siblings;
        });
  }

  synchronized List<StoredObject> of(String ownerUid) {
    return new ArrayList<>(byOwner.getOrDefault(ownerUid, new TreeMap<>()).values());
  }

  /** The objects of a namespace that have no controller. */
  synchronized List<StoredObject> orphans(String namespace) {
    return new ArrayList<>(orphans.getOrDefault(namespace, new TreeMap<>()).values());
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
