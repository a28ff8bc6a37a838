package io.berth.sandbox.store;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reconstruction of an earlier state of a bucket by undoing its latest changes. */
final class Rollback {
  private Rollback() {}

  static List<StoredObject> undo(
      Bucket bucket, @Nullable String namespace, List<StoreEvent> since) {
    Collection<StoredObject> now = namespace == null ? bucket.all() : bucket.inNamespace(namespace);
    if (since.isEmpty()) {
      return List.copyOf(now);
    }
    Map<ObjectKey, StoredObject> state = new TreeMap<>();
    now.forEach(object -> state.put(object.key(), object));
    for (StoreEvent event : since.reversed()) {
      ObjectKey key = event.object().key();
      if (namespace == null || key.namespace().equals(namespace)) {
        StoredObject previous = event.previous();
        if (previous == null) {
          state.remove(key);
        } else {
          state.put(key, previous);
        }
      }
    }
    return List.copyOf(state.values());
  }
}
