package io.berth.sandbox.store;

import org.jspecify.annotations.Nullable;

/**
 * One change in a bucket.
 *
 * @param type what happened
 * @param object the new version; for a deletion the last one, under the deletion's resourceVersion
 * @param previous the version before; absent for an addition
 */
public record StoreEvent(EventType type, StoredObject object, @Nullable StoredObject previous) {

  /** The resourceVersion of the change. */
  public long resourceVersion() {
    return object.resourceVersion();
  }
}
