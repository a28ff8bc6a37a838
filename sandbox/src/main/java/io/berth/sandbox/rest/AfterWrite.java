package io.berth.sandbox.rest;

import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.StoredObject;

/**
 * Actions right after a write, in the writer's thread: a definition is served, a namespace gets its
 * ServiceAccount.
 */
interface AfterWrite {

  /** After a create. */
  void created(ResourceType type, StoredObject object);

  /** After an update, a patch, or a mark of deletion. */
  void updated(ResourceType type, StoredObject object);

  /** After the object has gone. */
  void deleted(ResourceType type, StoredObject object);
}
