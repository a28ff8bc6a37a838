package io.berth.operator.feed;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** The watched controllers that keep a number of pods. */
record ScaledWorkloads(
    KindCache<ReplicationController, ReplicationController> replicationControllers,
    KindCache<ReplicaSet, ReplicaSet> replicaSets,
    KindCache<StatefulSet, StatefulSet> statefulSets) {

  /** Returns the desired number of pods; empty if the controller is not one of these. */
  OptionalInt replicas(String namespace, OwnerReference controller) {
    Optional<? extends HasMetadata> found =
        switch (controller.getApiVersion() + "/" + controller.getKind()) {
          case "v1/ReplicationController" ->
              replicationControllers.find(namespace, controller.getName());
          case "apps/v1/ReplicaSet" -> replicaSets.find(namespace, controller.getName());
          case "apps/v1/StatefulSet" -> statefulSets.find(namespace, controller.getName());
          default -> Optional.empty();
        };
    return found.isPresent() && found.get().getMetadata().getUid().equals(controller.getUid())
        ? OptionalInt.of(replicas(found.get()))
        : OptionalInt.empty();
  }

  private static int replicas(HasMetadata workload) {
    @Nullable Integer replicas =
        switch (workload) {
          case ReplicationController of when of.getSpec() != null -> of.getSpec().getReplicas();
          case ReplicaSet of when of.getSpec() != null -> of.getSpec().getReplicas();
          case StatefulSet of when of.getSpec() != null -> of.getSpec().getReplicas();
          default -> null;
        };
    return replicas == null ? 1 : replicas;
  }
}
