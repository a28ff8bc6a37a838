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
 * The API's operations, for HTTP and for controllers in this process alike: defaults, admission,
 * validation, optimistic locking, finalizers and graceful deletion are the same for both. Reads and
 * watches may go to the {@link #store()} directly. Every write throws {@link
 * io.berth.sandbox.failure.ApiException} where the API answers with a failure. Trees handed in
 * belong to the API from then on. Namespaces are null or empty for cluster-scoped resources;
 * subresources are empty for the object itself.
 */
public interface ClusterApi {

  /** Returns the store for reads and watches. */
  ObjectStore store();

  /** Returns the resources that can be read and written. */
  ResourceRegistry registry();

  /** Returns the Kubernetes that the server looks like. */
  KubernetesVersion version();

  /** The object of this name, or 404. */
  StoredObject get(ResourceType type, @Nullable String namespace, String name);

  /** Creates an object. */
  StoredObject create(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      ObjectNode object,
      WriteOptions options);

  /**
   * Replaces an object, or what the subresource {@code status} shows of it. With a
   * metadata.resourceVersion it must be the current one, else it is unconditional.
   */
  StoredObject update(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      ObjectNode object,
      WriteOptions options);

  /** Patches an object or its status; an apply of what is not there creates it. */
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
   * Deletes an object, or marks it deleted while it has finalizers or a grace period left; the
   * object as it is afterwards.
   */
  StoredObject delete(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      DeleteOptions options);

  /** Binds a pod to a node: the subresource {@code binding}. */
  void bind(Caller caller, String namespace, String pod, ObjectNode binding, WriteOptions options);
}
