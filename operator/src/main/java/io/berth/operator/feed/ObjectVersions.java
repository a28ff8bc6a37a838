package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The objects of one kind, in each of the API versions in which they may be served. While the API
 * servers are updated, an object may be served in two versions, or disappear in one of them: it
 * exists as long as any version has it.
 */
final class ObjectVersions {
  private final Function<GenericKubernetesResource, ClusterEvent> upserted;
  private final Function<GenericKubernetesResource, ClusterEvent> removed;
  private final List<KindCache<GenericKubernetesResource, GenericKubernetesResource>> versions =
      new CopyOnWriteArrayList<>();

  /**
   * @param upserted returns the event for an object that was created or changed
   * @param removed returns the event for an object that was deleted
   */
  ObjectVersions(
      Function<GenericKubernetesResource, ClusterEvent> upserted,
      Function<GenericKubernetesResource, ClusterEvent> removed) {
    this.upserted = upserted;
    this.removed = removed;
  }

  /** Returns the cache of one more version; earlier ones have precedence. */
  KindCache<GenericKubernetesResource, GenericKubernetesResource> addVersion() {
    int precedence = versions.size();
    KindCache<GenericKubernetesResource, GenericKubernetesResource> cache =
        KindCache.ofObjects(object -> upserted(precedence, object), this::removed, versions);
    versions.add(cache);
    return cache;
  }

  private ClusterEvent upserted(int precedence, GenericKubernetesResource object) {
    return upserted.apply(find(versions.stream().limit(precedence), object).orElse(object));
  }

  /** Returns the event for an object that was removed in one version. */
  private ClusterEvent removed(GenericKubernetesResource object) {
    return find(versions.stream(), object).map(upserted).orElseGet(() -> removed.apply(object));
  }

  /** Returns an object, in the version that has precedence. */
  Optional<GenericKubernetesResource> find(String namespace, String name) {
    return find(versions.stream(), namespace, name);
  }

  private static Optional<GenericKubernetesResource> find(
      Stream<KindCache<GenericKubernetesResource, GenericKubernetesResource>> caches,
      GenericKubernetesResource object) {
    String namespace = object.getMetadata().getNamespace();
    return find(caches, namespace == null ? "" : namespace, object.getMetadata().getName());
  }

  private static Optional<GenericKubernetesResource> find(
      Stream<KindCache<GenericKubernetesResource, GenericKubernetesResource>> caches,
      String namespace,
      String name) {
    return caches.flatMap(each -> each.find(namespace, name).stream()).findFirst();
  }
}
