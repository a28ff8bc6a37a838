package io.berth.sandbox.rest;

import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.StoredObject;

/**
 * Actions that run directly after a write, on the writer's thread, such as serving a new
 * CustomResourceDefinition or creating the ServiceAccount of a namespace.
 */
interface AfterWrite {

  /** Called after a create. */
  void created(ResourceType type, StoredObject object);

  /** Called after an update, a patch, or the start of a graceful deletion. */
  void updated(ResourceType type, StoredObject object);

  /** Called after the object has been removed. */
  void deleted(ResourceType type, StoredObject object);
}
