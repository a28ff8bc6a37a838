package io.berth.webhook.binding;

import io.berth.rules.label.LabelOperator;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A compiled label selector. A selector without requirements matches everything. */
public final class Selector {
  private final List<Requirement> requirements;

  private Selector(List<Requirement> requirements) {
    this.requirements = requirements;
  }

  private record Requirement(String key, LabelOperator operator, Set<String> values) {
    boolean holds(Map<String, String> labels) {
      return operator.holds(labels.get(key), values);
    }
  }

  /** A label that an object must have to match the selector. */
  record Label(String key, String value) {}

  /** Returns the selector that matches everything. */
  public static Selector everything() {
    return new Selector(List.of());
  }

  /**
   * Compiles a selector. An unknown operator, which the API server rejects, matches nothing.
   *
   * @param selector the selector; if absent or empty, it matches everything
   */
  public static Selector of(@Nullable LabelSelector selector) {
    List<Requirement> requirements = new ArrayList<>();
    if (selector != null && selector.getMatchLabels() != null) {
      selector
          .getMatchLabels()
          .forEach(
              (key, value) ->
                  requirements.add(new Requirement(key, LabelOperator.IN, Set.of(value))));
    }
    if (selector != null && selector.getMatchExpressions() != null) {
      for (LabelSelectorRequirement expression : selector.getMatchExpressions()) {
        Set<String> values =
            expression.getValues() == null ? Set.of() : Set.copyOf(expression.getValues());
        requirements.add(
            LabelOperator.ofLabelSelector(expression.getOperator())
                .map(operator -> new Requirement(expression.getKey(), operator, values))
                .orElse(new Requirement(expression.getKey(), LabelOperator.IN, Set.of())));
      }
    }
    return new Selector(List.copyOf(requirements));
  }

  /** Returns whether all requirements hold for these labels. */
  public boolean matches(Map<String, String> labels) {
    for (Requirement requirement : requirements) {
      if (!requirement.holds(labels)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the keys of all labels that the selector uses. */
  Set<String> keys() {
    return requirements.stream().map(Requirement::key).collect(Collectors.toSet());
  }

  /**
   * Returns a label by which the selector can be indexed; empty if it requires no specific value of
   * any key.
   */
  Optional<Label> requiredLabel() {
    return requirements.stream()
        .filter(each -> each.operator == LabelOperator.IN && each.values.size() == 1)
        .map(each -> new Label(each.key, each.values.iterator().next()))
        .findFirst();
  }
}
