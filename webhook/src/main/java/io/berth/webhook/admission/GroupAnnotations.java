package io.berth.webhook.admission;

import io.berth.crds.Annotations;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.GroupDisruptionMode;
import io.berth.crds.binding.GroupRule;
import io.berth.crds.binding.GroupTopologyMode;
import io.berth.crds.binding.GroupTopologyRule;
import io.berth.webhook.binding.Choice;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.OwnerSize;
import io.berth.webhook.binding.PodSubject;
import io.berth.webhook.binding.Resolution;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The annotations with which a binding makes a pod a member of its owner's group. A pod gets none
 * if the size of its owner is required but unknown, because the group would not have the minimum
 * that the binding specifies. What the pod declares as the size counts only if the kind of its
 * owner has none.
 */
final class GroupAnnotations {
  /** The annotations that a binding controls, whether it sets or removes them. */
  static final List<String> WRITTEN =
      List.of(
          Annotations.GROUP,
          Annotations.GROUP_MIN,
          Annotations.GROUP_TOPOLOGY,
          Annotations.GROUP_TOPOLOGY_MODE,
          Annotations.GROUP_DISRUPTION,
          Annotations.GROUP_TIMEOUT);

  /**
   * The value of the annotation group that puts a pod in no group, of whatever dialect; a binding
   * that denies overrides writes it where it makes no group.
   */
  static final String NONE = "";

  private static final Pattern SIZE = Pattern.compile("[1-9][0-9]{0,5}");

  private GroupAnnotations() {}

  static Map<String, String> of(PodSubject pod, Resolution resolution, ConfigCatalog catalog) {
    Optional<GroupRule> rule = resolution.choice(BindingField.GROUP).flatMap(Choice::group);
    Optional<OwnerSize> owner = rule.flatMap(any -> catalog.ownerSize(pod));
    if (rule.isEmpty() || owner.isEmpty()) {
      return Map.of();
    }
    OptionalInt size = owner.get().isGroup() ? owner.get().pods() : declared(pod);
    boolean relative = rule.get().min().endsWith("%");
    if (size.isEmpty() && (relative || !owner.get().isGroup())) {
      return Map.of();
    }
    Map<String, String> annotations = new LinkedHashMap<>();
    annotations.put(Annotations.GROUP, owner.get().name());
    annotations.put(Annotations.GROUP_MIN, String.valueOf(rule.get().minimumOf(size.orElse(1))));
    topology(rule.get().topology(), annotations);
    if (rule.get().disruption() == GroupDisruptionMode.GROUP) {
      annotations.put(Annotations.GROUP_DISRUPTION, "Group");
    }
    Optional.ofNullable(rule.get().timeout())
        .ifPresent(timeout -> annotations.put(Annotations.GROUP_TIMEOUT, timeout));
    return annotations;
  }

  private static void topology(@Nullable GroupTopologyRule rule, Map<String, String> annotations) {
    if (rule != null) {
      annotations.put(Annotations.GROUP_TOPOLOGY, rule.key());
      annotations.put(
          Annotations.GROUP_TOPOLOGY_MODE,
          rule.mode() == GroupTopologyMode.REQUIRED ? "Required" : "Preferred");
    }
  }

  private static OptionalInt declared(PodSubject pod) {
    return pod.annotation(Annotations.GROUP_SIZE)
        .filter(text -> SIZE.matcher(text).matches())
        .map(text -> OptionalInt.of(Integer.parseInt(text)))
        .orElse(OptionalInt.empty());
  }
}
