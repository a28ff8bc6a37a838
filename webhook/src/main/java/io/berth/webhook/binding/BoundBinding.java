package io.berth.webhook.binding;

import io.berth.crds.SchedulerConfigBinding;
import io.berth.crds.SchedulerConfigBindingSpec;
import io.berth.crds.binding.BindingField;
import io.berth.crds.binding.ConfigReference;
import io.berth.crds.binding.Enforcement;
import io.berth.crds.binding.PodOverrides;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A binding, compiled for matching. */
record BoundBinding(
    BindingKey key,
    String uid,
    String created,
    long generation,
    boolean ofOperator,
    Optional<Selector> namespaces,
    Selector pods,
    SchedulerConfigBindingSpec spec) {

  /**
   * The levels of precedence, highest first; the pod's own annotations come between the second and
   * the third.
   */
  private enum Precedence {
    OPERATOR_DENY,
    NAMESPACE_DENY,
    NAMESPACE,
    OPERATOR
  }

  /** Orders bindings by precedence, the winner first. */
  static final Comparator<BoundBinding> PRECEDENCE =
      Comparator.comparing(BoundBinding::standing)
          .thenComparing(binding -> -binding.spec.priority())
          .thenComparing(BoundBinding::created)
          .thenComparing(binding -> binding.key.name())
          .thenComparing(binding -> binding.key.namespace());

  static BoundBinding of(SchedulerConfigBinding binding, String operatorNamespace) {
    boolean ofOperator = binding.getMetadata().getNamespace().equals(operatorNamespace);
    SchedulerConfigBindingSpec spec = binding.getSpec();
    Long generation = binding.getMetadata().getGeneration();
    return new BoundBinding(
        new BindingKey(binding.getMetadata().getNamespace(), binding.getMetadata().getName()),
        Optional.ofNullable(binding.getMetadata().getUid()).orElse(""),
        Optional.ofNullable(binding.getMetadata().getCreationTimestamp()).orElse(""),
        generation == null ? 0 : generation,
        ofOperator,
        ofOperator
            ? Optional.ofNullable(spec.namespaceSelector()).map(Selector::of)
            : Optional.empty(),
        Selector.of(spec.podSelector()),
        spec);
  }

  boolean deniesOverrides() {
    return spec.podOverrides() == PodOverrides.DENY;
  }

  boolean isDryRun() {
    return spec.enforcement() == Enforcement.DRY_RUN;
  }

  boolean reachesNamespace(String namespace, Map<String, String> labels) {
    return key.namespace().equals(namespace)
        || namespaces.map(each -> each.matches(labels)).orElse(false);
  }

  /** Returns whether the labels of a namespace affect whether it is selected. */
  boolean readsNamespaceLabels() {
    return namespaces.map(selector -> !selector.keys().isEmpty()).orElse(false);
  }

  /** Returns whether its rollout includes only a share of the owners. */
  boolean isPartial() {
    return spec.rolloutPercent() < 100;
  }

  boolean reachesOwner(String namespace, Owner root) {
    return RolloutShare.reaches(spec.rolloutPercent(), uid, namespace, root);
  }

  boolean sets(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS, POD_CONFIGS -> !configs(field).isEmpty();
      case SCHEDULING_POLICY -> spec.schedulingPolicy() != null || spec.schedulerName() != null;
      case GROUP -> spec.group() != null;
      case QUEUE -> spec.queue() != null;
    };
  }

  List<ConfigReference> configs(BindingField field) {
    return switch (field) {
      case NODE_CONFIGS -> spec.nodeConfigs();
      case POD_CONFIGS -> spec.podConfigs();
      case SCHEDULING_POLICY, GROUP, QUEUE -> List.of();
    };
  }

  /**
   * Returns the reason why this binding wins over one that {@link #PRECEDENCE} orders after it, as
   * text for a status.
   */
  String reasonToWinOver(BoundBinding other) {
    if (standing() != other.standing()) {
      return switch (standing()) {
        case OPERATOR_DENY -> "it is in the operator's namespace and denies overrides";
        case NAMESPACE_DENY -> "it denies overrides";
        case NAMESPACE -> "it is in the pods' own namespace";
        case OPERATOR ->
            throw new IllegalArgumentException(key + " does not win over " + other.key);
      };
    }
    if (!spec.priority().equals(other.spec.priority())) {
      return "its priority " + spec.priority() + " is greater than " + other.spec.priority();
    }
    return created.equals(other.created)
        ? "both have the same precedence, priority, and age, and its name comes first"
        : "both have the same precedence and priority, and it is older";
  }

  private Precedence standing() {
    if (deniesOverrides()) {
      return ofOperator ? Precedence.OPERATOR_DENY : Precedence.NAMESPACE_DENY;
    }
    return ofOperator ? Precedence.OPERATOR : Precedence.NAMESPACE;
  }
}
