package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import org.jspecify.annotations.Nullable;

/**
 * The operations of the API, shared by HTTP clients and controllers in this process: defaults,
 * admission, validation, optimistic locking, finalizers, and graceful deletion are the same for
 * both. Reads and watches may use the {@link #store()} directly. Every write throws {@link
 * io.berth.sandbox.failure.ApiException} if the API returns an error. The API takes ownership of
 * the trees passed to it. Namespaces are null or empty for cluster-scoped resources, and
 * subresources are empty for the object itself. Thread-safe.
 */
public interface ClusterApi {

  /** Returns the store for reads and watches. */
  ObjectStore store();

  /** Returns the resources that can be read and written. */
  ResourceRegistry registry();

  /** Returns the Kubernetes version that the server emulates. */
  KubernetesVersion version();

  /** Returns the object of this name, or throws 404. */
  StoredObject get(ResourceType type, @Nullable String namespace, String name);

  /** Creates an object. */
  StoredObject create(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      ObjectNode object,
      WriteOptions options);

  /**
   * Replaces an object or the part that a subresource, such as {@code status}, covers. If
   * metadata.resourceVersion is set, it must be the current version; otherwise the update is
   * unconditional, where the kind allows that.
   */
  StoredObject update(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      ObjectNode object,
      WriteOptions options);

  /** Patches an object or a subresource. An apply creates the object if it does not exist. */
  StoredObject patch(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      PatchType patchType,
      JsonNode patch,
      WriteOptions options);

  /**
   * Deletes an object, or marks it as terminating while it has finalizers or a grace period, and
   * returns its last or current state.
   */
  StoredObject delete(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      DeleteOptions options);

  /** Binds a pod to a node, as the {@code binding} subresource does. */
  void bind(Caller caller, String namespace, String pod, ObjectNode binding, WriteOptions options);
}
