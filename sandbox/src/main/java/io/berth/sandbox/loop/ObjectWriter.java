package io.berth.sandbox.loop;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.ClusterApi;
import io.berth.sandbox.rest.DeleteOptions;
import io.berth.sandbox.rest.WriteOptions;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.StoredObject;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * A client of the API for one control plane component. Changes are retried on conflict, so
 * concurrent writes by others are not lost.
 */
public final class ObjectWriter {
  private final ClusterApi api;
  private final Caller caller;

  /** Creates a writer that acts as a component, for example {@code kube-controller-manager}. */
  public ObjectWriter(ClusterApi api, String component) {
    this.api = api;
    this.caller = Caller.controlPlane(component);
  }

  /** The API to which this writer writes. */
  public ClusterApi api() {
    return api;
  }

  /** Creates an object. */
  public StoredObject create(ResourceType type, String namespace, ObjectNode object) {
    return api.create(caller, type, namespace, object, WriteOptions.plain());
  }

  /**
   * Changes an object or its status. On a conflict, the object is read again and the change is
   * retried.
   *
   * @param subresource empty for the object itself, or {@code status}
   * @param uid the expected UID; another object of the same name is not changed
   * @param change modifies the object in place and returns whether it did
   * @return the resulting object; empty if it no longer exists
   */
  public Optional<StoredObject> change(
      ResourceType type,
      ObjectKey key,
      String uid,
      String subresource,
      Predicate<ObjectNode> change) {
    while (true) {
      Optional<StoredObject> stored = api.store().get(type.storage(), key);
      if (stored.isEmpty() || !stored.get().uid().equals(uid)) {
        return Optional.empty();
      }
      ObjectNode tree = stored.get().copy();
      if (!change.test(tree)) {
        return stored;
      }
      try {
        return Optional.of(
            api.update(
                caller,
                type,
                key.namespace(),
                key.name(),
                subresource,
                tree,
                WriteOptions.plain()));
      } catch (ApiException e) {
        if (e.code() == 404) {
          return Optional.empty();
        }
        if (e.code() != 409) {
          throw e;
        }
      }
    }
  }

  /** Deletes an object if it still exists with this UID. */
  public void delete(ResourceType type, ObjectKey key, String uid, DeleteOptions options) {
    try {
      api.delete(caller, type, key.namespace(), key.name(), options.ofUid(uid));
    } catch (ApiException e) {
      if (e.code() != 404 && e.code() != 409) {
        throw e;
      }
    }
  }
}
