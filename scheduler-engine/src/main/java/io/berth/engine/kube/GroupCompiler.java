package io.berth.engine.kube;

import static io.berth.engine.kube.PodCompiler.orEmpty;

import io.berth.engine.model.GroupAdmission;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.quantity.ExactQuantity;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compiles the objects that describe groups: PodGroups of several API groups. */
final class GroupCompiler {
  private final GroupRef ref;
  private final Map<?, ?> spec;

  private GroupCompiler(GroupRef ref, Map<?, ?> spec) {
    this.ref = ref;
    this.spec = spec;
  }

  static GroupModel compile(GroupDialect dialect, GenericKubernetesResource object) {
    Map<?, ?> spec = JsonMaps.mapIn(object.getAdditionalProperties(), "spec");
    GroupCompiler compiler = new GroupCompiler(ref(dialect, object), spec);
    return switch (dialect) {
      case KUBERNETES -> compiler.kubernetes();
      case SCHEDULER_PLUGINS -> compiler.schedulerPlugins();
      case VOLCANO -> compiler.volcano().admitted(admission(object));
      case BERTH, KOORDINATOR ->
          throw new IllegalArgumentException(dialect + " has no objects of its own");
    };
  }

  static GroupRef ref(GroupDialect dialect, GenericKubernetesResource object) {
    return new GroupRef(
        dialect,
        Labels.requireName(orEmpty(object.getMetadata().getNamespace()), "metadata.namespace"),
        Labels.requireName(orEmpty(object.getMetadata().getName()), "metadata.name"));
  }

  /**
   * Compiles a PodGroup of {@code scheduling.k8s.io}. The basic policy has no minimum: its pods are
   * scheduled one by one.
   */
  private GroupModel kubernetes() {
    Map<?, ?> gang = JsonMaps.mapIn(JsonMaps.mapIn(spec, "schedulingPolicy"), "gang");
    GroupModel group =
        GroupModel.of(
                ref, wholeNumber(gang.get("minCount"), "spec.schedulingPolicy.gang.minCount", 0))
            .disruptedBy(disruptionMode());
    Optional<GroupTopology> topology =
        topology(JsonMaps.mapIn(spec, "schedulingConstraints").get("topology"));
    if (topology.isPresent()) {
      group = group.within(topology.get());
    }
    return spec.get("priority") instanceof Number priority
        ? group.ofPriority(priority.intValue())
        : group;
  }

  /**
   * Returns the disruption mode: {@code PodGroup} in v1alpha2, and {@code all: {}} in later
   * versions, for the group as a whole.
   */
  private GroupDisruption disruptionMode() {
    boolean whole =
        spec.get("disruptionMode") instanceof Map<?, ?> mode
            ? mode.containsKey("all")
            : "PodGroup".equals(spec.get("disruptionMode"));
    return whole ? GroupDisruption.GROUP : GroupDisruption.POD;
  }

  private static Optional<GroupTopology> topology(@Nullable Object constraints) {
    return constraints instanceof List<?> list
            && !list.isEmpty()
            && list.getFirst() instanceof Map<?, ?> first
            && first.get("key") instanceof String key
        ? Optional.of(new GroupTopology(key, true))
        : Optional.empty();
  }

  private GroupModel schedulerPlugins() {
    int seconds = wholeNumber(spec.get("scheduleTimeoutSeconds"), "spec.scheduleTimeoutSeconds", 0);
    GroupModel group =
        GroupModel.of(ref, wholeNumber(spec.get("minMember"), "spec.minMember", 1))
            .withMinResources(minResources());
    return seconds == 0 ? group : group.waitingFor(Duration.ofSeconds(seconds));
  }

  private GroupModel volcano() {
    Map<String, Integer> perTask = new HashMap<>();
    JsonMaps.mapIn(spec, "minTaskMember")
        .forEach(
            (task, min) ->
                perTask.put(
                    String.valueOf(task), wholeNumber(min, "spec.minTaskMember." + task, 0)));
    return GroupModel.of(ref, wholeNumber(spec.get("minMember"), "spec.minMember", 0))
        .withRoles(perTask)
        .withMinResources(minResources())
        .inClass(spec.get("priorityClassName") instanceof String name ? name : "")
        .inQueue(spec.get("queue") instanceof String queue ? queue : "");
  }

  /**
   * Returns the admission of a PodGroup of Volcano: its controllers create pods once the phase is
   * no longer Pending.
   */
  private static GroupAdmission admission(GenericKubernetesResource object) {
    String created = orEmpty(object.getMetadata().getCreationTimestamp());
    Object phase = JsonMaps.mapIn(object.getAdditionalProperties(), "status").get("phase");
    return new GroupAdmission(
        created.isEmpty() ? Instant.EPOCH : Timestamps.parse(created),
        phase != null && !phase.equals("") && !phase.equals("Pending"));
  }

  /**
   * Returns the minimum resources, without the object quotas that Volcano adds ({@code
   * count/pods}), which no node offers.
   */
  private ResourceAmounts minResources() {
    Map<String, ExactQuantity> quantities = new HashMap<>();
    JsonMaps.mapIn(spec, "minResources")
        .forEach(
            (name, amount) ->
                quantities.put(
                    String.valueOf(name),
                    Quantities.read(String.valueOf(amount), "spec.minResources." + name)));
    quantities.keySet().removeIf(name -> name.startsWith("count/"));
    return Amounts.ofNode(quantities);
  }

  private static int wholeNumber(@Nullable Object value, String field, int fallback) {
    if (value == null) {
      return fallback;
    }
    if (value instanceof Number number
        && number.doubleValue() == number.intValue()
        && number.intValue() >= 0) {
      return number.intValue();
    }
    throw new RefusedException(
        "%s is %s: must be an integer of at least 0".formatted(field, value));
  }
}
