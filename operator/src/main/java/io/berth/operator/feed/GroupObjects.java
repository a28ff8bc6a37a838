package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupRef;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** The objects that describe the groups of one dialect. */
final class GroupObjects {
  private final GroupDialect dialect;
  private final ObjectVersions objects;
  private final List<Reflector<GenericKubernetesResource>> watches = new CopyOnWriteArrayList<>();

  GroupObjects(GroupDialect dialect, KubeEvents events) {
    this.dialect = dialect;
    this.objects =
        new ObjectVersions(
            object -> events.groupUpserted(dialect, object),
            object -> events.groupRemoved(dialect, object));
  }

  /** Returns the cache of one more version; earlier ones have precedence. */
  KindCache<GenericKubernetesResource, GenericKubernetesResource> addVersion() {
    return objects.addVersion().whenServed(new ClusterEvent.GroupDialectServed(dialect));
  }

  /** Adds the watch of a version. */
  void addWatch(Reflector<GenericKubernetesResource> watch) {
    watches.add(watch);
  }

  /** Returns the object of a group. */
  Optional<GenericKubernetesResource> find(GroupRef group) {
    return objects.find(group.namespace(), group.name());
  }

  /** Looks for the objects again soon, because a pod names one. */
  void named() {
    watches.forEach(Reflector::named);
  }
}
