package io.berth.engine.kube;

import io.berth.crds.Annotations;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.model.PriorityClassModel;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Compiles PriorityClasses, with the annotations that protect their pods from eviction. */
final class PriorityClassCompiler {
  private static final String NON_PREEMPTIBLE = "NonPreemptible";

  private PriorityClassCompiler() {}

  /**
   * Returns the event for a PriorityClass. An invalid exception to its protection has no effect:
   * the pods stay protected, and the event reports the problem.
   */
  static ClusterEvent compile(PriorityClass priorityClass) {
    ObjectMeta metadata = priorityClass.getMetadata();
    String name = Labels.requireName(metadata.getName(), "metadata.name");
    Map<String, String> annotations =
        metadata.getAnnotations() == null ? Map.of() : metadata.getAnnotations();
    int value = priorityClass.getValue() == null ? 0 : priorityClass.getValue();
    PriorityClassModel unprotected =
        new PriorityClassModel(
            name,
            value,
            false,
            OptionalInt.empty(),
            Boolean.TRUE.equals(priorityClass.getGlobalDefault()),
            "Never".equals(priorityClass.getPreemptionPolicy()));
    String policy = annotations.get(Annotations.PREEMPTION_POLICY);
    if (policy == null) {
      return new ClusterEvent.PriorityClassUpserted(unprotected, Optional.empty());
    }
    if (!policy.equals(NON_PREEMPTIBLE)) {
      return new ClusterEvent.PriorityClassUpserted(
          unprotected,
          Optional.of(
              new Refusal(
                  priorityClass.getKind(),
                  name,
                  "annotation %s is \"%s\"; the only accepted value is %s, so the class does not protect its pods"
                      .formatted(Annotations.PREEMPTION_POLICY, policy, NON_PREEMPTIBLE))));
    }
    String above = annotations.get(Annotations.PREEMPTIBLE_ABOVE);
    if (above == null) {
      return new ClusterEvent.PriorityClassUpserted(
          unprotected.asNonPreemptible(OptionalInt.empty()), Optional.empty());
    }
    try {
      return new ClusterEvent.PriorityClassUpserted(
          unprotected.asNonPreemptible(OptionalInt.of(Integer.parseInt(above.strip()))),
          Optional.empty());
    } catch (NumberFormatException e) {
      return new ClusterEvent.PriorityClassUpserted(
          unprotected.asNonPreemptible(OptionalInt.empty()),
          Optional.of(
              new Refusal(
                  priorityClass.getKind(),
                  name,
                  "annotation %s is \"%s\", which is not a priority (an integer), so no pod may evict pods of the class"
                      .formatted(Annotations.PREEMPTIBLE_ABOVE, above))));
    }
  }
}
