package io.berth.sandbox.store;

import org.jspecify.annotations.Nullable;

/**
 * A change in a bucket.
 *
 * @param type the type of the change
 * @param object the new version; for a deletion, the last version with the resourceVersion of the
 *     deletion
 * @param previous the previous version; null for an addition
 */
public record StoreEvent(EventType type, StoredObject object, @Nullable StoredObject previous) {

  /** Returns the resourceVersion of the change. */
  public long resourceVersion() {
    return object.resourceVersion();
  }
}
