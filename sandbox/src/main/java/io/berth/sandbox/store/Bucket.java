package io.berth.sandbox.store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The current objects of a storage and their indexes. Guarded by the store's lock. */
final class Bucket {
  final Storage storage;
  final EventLog log;
  volatile long lastChange;
  private final NavigableMap<ObjectKey, StoredObject> objects = new TreeMap<>();
  private final List<Map<String, NavigableMap<ObjectKey, StoredObject>>> indexes =
      new ArrayList<>();

  Bucket(Storage storage, EventLog log) {
    this.storage = storage;
    this.log = log;
    storage.fields().forEach(field -> indexes.add(field.indexed() ? new HashMap<>() : Map.of()));
  }

  @Nullable StoredObject get(ObjectKey key) {
    return objects.get(key);
  }

  int size() {
    return objects.size();
  }

  void put(StoredObject object) {
    StoredObject before = objects.put(object.key(), object);
    for (int i = 0; i < indexes.size(); i++) {
      if (storage.fields().get(i).indexed()) {
        if (before != null && !before.field(i).equals(object.field(i))) {
          unindex(i, before);
        }
        indexes
            .get(i)
            .computeIfAbsent(object.field(i), value -> new TreeMap<>())
            .put(object.key(), object);
      }
    }
  }

  void remove(StoredObject object) {
    objects.remove(object.key());
    for (int i = 0; i < indexes.size(); i++) {
      if (storage.fields().get(i).indexed()) {
        unindex(i, object);
      }
    }
  }

  private void unindex(int position, StoredObject object) {
    NavigableMap<ObjectKey, StoredObject> same = indexes.get(position).get(object.field(position));
    if (same != null) {
      same.remove(object.key());
      if (same.isEmpty()) {
        indexes.get(position).remove(object.field(position));
      }
    }
  }

  Collection<StoredObject> all() {
    return objects.values();
  }

  Collection<StoredObject> inNamespace(String namespace) {
    return range(objects, namespace);
  }

  Collection<StoredObject> byField(int position, String value, @Nullable String namespace) {
    NavigableMap<ObjectKey, StoredObject> same = indexes.get(position).get(value);
    if (same == null) {
      return List.of();
    }
    return namespace == null ? same.values() : range(same, namespace);
  }

  /**
   * Returns the objects of a namespace. Names cannot contain U+0000, so namespace + U+0000 sorts
   * directly after all keys of the namespace.
   */
  private static Collection<StoredObject> range(
      NavigableMap<ObjectKey, StoredObject> of, String namespace) {
    return of.subMap(new ObjectKey(namespace, ""), true, new ObjectKey(namespace + "\0", ""), false)
        .values();
  }
}
