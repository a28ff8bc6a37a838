package io.berth.engine.state;

import io.berth.engine.model.StorageObject;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The objects that volume plugins read, by kind, namespace and name. */
public final class StorageTable {
  private record Id(String kind, String namespace, String name) {}

  private final Map<Id, StorageObject> objects = new HashMap<>();
  private long version;

  /** Changes with every change. */
  public long version() {
    return version;
  }

  public Optional<StorageObject> find(String kind, String namespace, String name) {
    return Optional.ofNullable(objects.get(new Id(kind, namespace, name)));
  }

  /** Answers whether that changed anything. */
  boolean put(StorageObject object) {
    Id id = new Id(object.kind(), object.namespace(), object.name());
    if (object.equals(objects.put(id, object))) {
      return false;
    }
    version++;
    return true;
  }

  boolean remove(String kind, String namespace, String name) {
    if (objects.remove(new Id(kind, namespace, name)) == null) {
      return false;
    }
    version++;
    return true;
  }
}
