package io.berth.engine.kube;

import static io.berth.engine.kube.PodCompiler.orEmpty;

import io.berth.crds.Annotations;
import io.berth.crds.schema.DurationText;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the group membership of a pod. If a pod uses several dialects, the first one applies:
 * Berth's own, then that of Kubernetes, then the others. An empty name in Berth's own puts the pod
 * in no group, of whatever dialect.
 */
final class GroupReading {
  static final String SCHEDULER_PLUGINS_LABEL = "scheduling.x-k8s.io/pod-group";
  static final String VOLCANO_GROUP = "scheduling.k8s.io/group-name";
  static final String VOLCANO_TASK = "volcano.sh/task-spec";
  private static final Pattern WHOLE_NUMBER = Pattern.compile("[0-9]{1,6}");

  private final String namespace;
  private final Map<String, String> annotations;
  private final Map<String, String> labels;

  private GroupReading(Pod pod) {
    this.namespace = orEmpty(pod.getMetadata().getNamespace());
    this.annotations = Objects.requireNonNullElse(pod.getMetadata().getAnnotations(), Map.of());
    this.labels = Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.of());
  }

  static Optional<GroupMembership> of(Pod pod) {
    GroupReading reading = new GroupReading(pod);
    if (orEmpty(reading.annotations.getOrDefault(Annotations.GROUP, "none")).isEmpty()) {
      return Optional.empty();
    }
    Optional<GroupMembership> own = reading.berth();
    return own.or(() -> reading.kubernetes(pod))
        .or(
            () ->
                reading.named(
                    GroupDialect.SCHEDULER_PLUGINS, reading.labels, SCHEDULER_PLUGINS_LABEL))
        .or(() -> KoordinatorGroups.of(reading.namespace, reading.annotations, reading.labels))
        .or(reading::volcano);
  }

  private Optional<GroupMembership> berth() {
    String name = orEmpty(annotations.get(Annotations.GROUP));
    if (name.isEmpty()) {
      return Optional.empty();
    }
    GroupRef ref = new GroupRef(GroupDialect.BERTH, namespace, name);
    GroupModel model =
        GroupModel.of(ref, wholeNumber(annotations, Annotations.GROUP_MIN, 1))
            .waitingFor(timeout())
            .disruptedBy(disruption());
    Optional<GroupTopology> topology = topology();
    if (topology.isPresent()) {
      model = model.within(topology.get());
    }
    return Optional.of(
        new GroupMembership(
            ref, "", Optional.of(model), annotations.containsKey(Annotations.GROUP_MIN)));
  }

  private Duration timeout() {
    String text = annotations.get(Annotations.GROUP_TIMEOUT);
    return text == null
        ? GroupModel.DEFAULT_TIMEOUT
        : DurationText.read(text)
            .orElseThrow(() -> wrong(Annotations.GROUP_TIMEOUT, text, "a duration such as 10m"));
  }

  private Optional<GroupTopology> topology() {
    String key = orEmpty(annotations.get(Annotations.GROUP_TOPOLOGY));
    if (key.isEmpty()) {
      return Optional.empty();
    }
    String mode = annotations.getOrDefault(Annotations.GROUP_TOPOLOGY_MODE, "Preferred");
    return switch (mode) {
      case "Required" -> Optional.of(new GroupTopology(key, true));
      case "Preferred" -> Optional.of(new GroupTopology(key, false));
      default -> throw wrong(Annotations.GROUP_TOPOLOGY_MODE, mode, "Required or Preferred");
    };
  }

  private GroupDisruption disruption() {
    String mode = annotations.getOrDefault(Annotations.GROUP_DISRUPTION, "Pod");
    return switch (mode) {
      case "Pod" -> GroupDisruption.POD;
      case "Group" -> GroupDisruption.GROUP;
      default -> throw wrong(Annotations.GROUP_DISRUPTION, mode, "Pod or Group");
    };
  }

  /**
   * Reads {@code spec.schedulingGroup.podGroupName}, a field that the client's types do not have
   * yet.
   */
  private Optional<GroupMembership> kubernetes(Pod pod) {
    return pod.getSpec().getAdditionalProperties().get("schedulingGroup") instanceof Map<?, ?> group
            && group.get("podGroupName") instanceof String name
            && !name.isEmpty()
        ? Optional.of(member(GroupDialect.KUBERNETES, name, ""))
        : Optional.empty();
  }

  private Optional<GroupMembership> volcano() {
    String name = orEmpty(annotations.get(VOLCANO_GROUP));
    return name.isEmpty()
        ? Optional.empty()
        : Optional.of(member(GroupDialect.VOLCANO, name, orEmpty(annotations.get(VOLCANO_TASK))));
  }

  private Optional<GroupMembership> named(
      GroupDialect dialect, Map<String, String> from, String key) {
    String name = orEmpty(from.get(key));
    return name.isEmpty() ? Optional.empty() : Optional.of(member(dialect, name, ""));
  }

  private GroupMembership member(GroupDialect dialect, String name, String role) {
    return new GroupMembership(new GroupRef(dialect, namespace, name), role, Optional.empty());
  }

  /** Returns a whole number of at least 1. */
  static int wholeNumber(Map<String, String> from, String key, int fallback) {
    String text = from.get(key);
    if (text == null) {
      return fallback;
    }
    if (!WHOLE_NUMBER.matcher(text).matches() || Integer.parseInt(text) < 1) {
      throw wrong(key, text, "an integer from 1 to 999999");
    }
    return Integer.parseInt(text);
  }

  static RefusedException wrong(String key, String value, String expected) {
    return new RefusedException(
        "%s is \"%s\": must be %s"
            .formatted(key, value.substring(0, Math.min(value.length(), 100)), expected));
  }
}
