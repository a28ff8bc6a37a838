package io.berth.sandbox.rest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.patch.PatchType;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.StoredObject;
import org.jspecify.annotations.Nullable;

/** The operations of the API, implemented by one class per verb. */
public final class Operations implements ClusterApi, AutoCloseable {
  private final RestParts parts;
  private final Creating creating;
  private final Updating updating;
  private final Deleting deleting;
  private final Binding binding;
  private final Evicting evicting;
  private final Scaling scaling;
  private final WriteEffects effects;

  /** Creates the operations and starts the removal of namespace and custom resource content. */
  public Operations(RestParts parts) {
    this.parts = parts;
    this.effects = new WriteEffects(parts, this);
    ObjectPreparation preparation = new ObjectPreparation(parts);
    this.creating = new Creating(parts, preparation, effects);
    this.deleting = new Deleting(parts, effects);
    this.updating = new Updating(parts, preparation, creating, deleting, effects);
    this.binding = new Binding(parts, preparation, effects);
    this.evicting = new Evicting(parts, preparation, deleting);
    this.scaling = new Scaling(this);
  }

  @Override
  public ObjectStore store() {
    return parts.store();
  }

  @Override
  public KubernetesVersion version() {
    return parts.version();
  }

  @Override
  public ResourceRegistry registry() {
    return parts.registry();
  }

  @Override
  public StoredObject get(ResourceType type, @Nullable String namespace, String name) {
    return parts
        .store()
        .get(type.storage(), type.key(namespace, name))
        .orElseThrow(() -> Failures.notFound(type.qualified(), name));
  }

  @Override
  public StoredObject create(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      ObjectNode object,
      WriteOptions options) {
    return creating.create(caller, type, namespace, object, options);
  }

  @Override
  public StoredObject update(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      ObjectNode object,
      WriteOptions options) {
    return updating.update(caller, type, namespace, name, subresource, object, options);
  }

  @Override
  public StoredObject patch(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      String subresource,
      PatchType patchType,
      JsonNode patch,
      WriteOptions options) {
    return updating.patch(caller, type, namespace, name, subresource, patchType, patch, options);
  }

  @Override
  public StoredObject delete(
      Caller caller,
      ResourceType type,
      @Nullable String namespace,
      String name,
      DeleteOptions options) {
    return deleting.delete(caller, type, namespace, name, options);
  }

  @Override
  public void bind(
      Caller caller, String namespace, String pod, ObjectNode object, WriteOptions options) {
    binding.bind(caller, namespace, pod, object, options);
  }

  /** Evicts a pod, as the {@code eviction} subresource does. */
  public void evict(
      Caller caller, String namespace, String pod, ObjectNode eviction, DeleteOptions options) {
    evicting.evict(caller, namespace, pod, eviction, options);
  }

  /** Returns the {@code scale} subresource. */
  public Scaling scaling() {
    return scaling;
  }

  @Override
  public void close() {
    effects.close();
  }
}
