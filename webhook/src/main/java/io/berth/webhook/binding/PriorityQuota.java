package io.berth.webhook.binding;

import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaSpec;
import io.fabric8.kubernetes.api.model.ScopedResourceSelectorRequirement;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A ResourceQuota that is scoped by PriorityClass only: all pods of the selected classes count
 * against it.
 *
 * @param selectors the selectors that the class of a pod must all match; at least one
 */
public record PriorityQuota(String namespace, String name, List<Classes> selectors) {
  private static final String PRIORITY_CLASS = "PriorityClass";

  /** A set of PriorityClasses: the named ones or, if {@code excluded}, all others. */
  public record Classes(boolean excluded, Set<String> names) {
    private boolean has(String priorityClass) {
      return names.contains(priorityClass) != excluded;
    }
  }

  public PriorityQuota {
    selectors = List.copyOf(selectors);
  }

  /**
   * Converts a ResourceQuota; empty if it has no limits, is not scoped by PriorityClass, or also
   * has other scopes.
   */
  public static Optional<PriorityQuota> of(ResourceQuota quota) {
    ResourceQuotaSpec spec = quota.getSpec();
    if (spec == null || spec.getHard() == null || spec.getHard().isEmpty()) {
      return Optional.empty();
    }
    List<String> scopes = spec.getScopes() == null ? List.of() : spec.getScopes();
    List<ScopedResourceSelectorRequirement> requirements =
        spec.getScopeSelector() == null ? List.of() : spec.getScopeSelector().getMatchExpressions();
    if (!scopes.stream().allMatch(PRIORITY_CLASS::equals)
        || !requirements.stream().allMatch(each -> PRIORITY_CLASS.equals(each.getScopeName()))
        || (scopes.isEmpty() && requirements.isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        new PriorityQuota(
            quota.getMetadata().getNamespace(),
            quota.getMetadata().getName(),
            requirements.isEmpty()
                ? List.of(new Classes(true, Set.of()))
                : requirements.stream().map(PriorityQuota::classes).toList()));
  }

  private static Classes classes(ScopedResourceSelectorRequirement requirement) {
    Set<String> values =
        requirement.getValues() == null ? Set.of() : Set.copyOf(requirement.getValues());
    return switch (requirement.getOperator()) {
      case "In" -> new Classes(false, values);
      case "NotIn" -> new Classes(true, values);
      case "Exists" -> new Classes(true, Set.of());
      default -> new Classes(false, Set.of()); // DoesNotExist: pods without a class
    };
  }

  /** Returns whether pods of the class count against the quota. */
  public boolean covers(String priorityClass) {
    return selectors.stream().allMatch(each -> each.has(priorityClass));
  }
}
