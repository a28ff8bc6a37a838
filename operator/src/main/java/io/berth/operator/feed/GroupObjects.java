package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * The objects that describe the groups of one dialect, in each of the API versions in which they
 * may be served. While the API servers are updated, an object may be served in two versions, or
 * disappear in one of them: a group exists as long as any version has its object.
 */
final class GroupObjects {
  private final GroupDialect dialect;
  private final KubeEvents events;
  private final List<KindCache<GenericKubernetesResource, GenericKubernetesResource>> versions =
      new CopyOnWriteArrayList<>();
  private final List<Reflector<GenericKubernetesResource>> watches = new CopyOnWriteArrayList<>();

  GroupObjects(GroupDialect dialect, KubeEvents events) {
    this.dialect = dialect;
    this.events = events;
  }

  /** Returns the cache of one more version; earlier ones have precedence. */
  KindCache<GenericKubernetesResource, GenericKubernetesResource> addVersion() {
    int precedence = versions.size();
    KindCache<GenericKubernetesResource, GenericKubernetesResource> cache =
        KindCache.<GenericKubernetesResource>ofObjects(
                object -> upserted(precedence, object), this::removed, versions)
            .whenServed(new ClusterEvent.GroupDialectServed(dialect));
    versions.add(cache);
    return cache;
  }

  /** Adds the watch of a version. */
  void addWatch(Reflector<GenericKubernetesResource> watch) {
    watches.add(watch);
  }

  private ClusterEvent upserted(int precedence, GenericKubernetesResource object) {
    return events.groupUpserted(
        dialect, find(versions.stream().limit(precedence), object).orElse(object));
  }

  /** Returns the event for an object that was removed in one version. */
  private ClusterEvent removed(GenericKubernetesResource object) {
    return find(versions.stream(), object)
        .map(left -> events.groupUpserted(dialect, left))
        .orElseGet(() -> events.groupRemoved(dialect, object));
  }

  /** Returns the object of a group. */
  Optional<GenericKubernetesResource> find(GroupRef group) {
    return find(versions.stream(), group.namespace(), group.name());
  }

  private static Optional<GenericKubernetesResource> find(
      Stream<KindCache<GenericKubernetesResource, GenericKubernetesResource>> caches,
      GenericKubernetesResource object) {
    return find(caches, object.getMetadata().getNamespace(), object.getMetadata().getName());
  }

  private static Optional<GenericKubernetesResource> find(
      Stream<KindCache<GenericKubernetesResource, GenericKubernetesResource>> caches,
      String namespace,
      String name) {
    return caches.flatMap(each -> each.find(namespace, name).stream()).findFirst();
  }

  /** Looks for the objects again soon, because a pod names one. */
  void named() {
    watches.forEach(Reflector::named);
  }
}
