package io.berth.engine.model;

import io.berth.rules.label.LabelOperator;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A label selector: it matches label sets that satisfy every requirement. Selectors are equal
 * regardless of the order of their requirements.
 *
 * @param matchesNothing whether it selects nothing, as an absent selector does where one is
 *     required
 */
public record LabelSelector(boolean matchesNothing, List<Requirement> requirements) {
  private static final LabelSelector NOTHING = new LabelSelector(true, List.of());
  private static final LabelSelector EVERYTHING = new LabelSelector(false, List.of());

  public LabelSelector {
    requirements =
        requirements.stream()
            .distinct()
            .sorted(
                Comparator.comparing(Requirement::key)
                    .thenComparing(Requirement::operator)
                    .thenComparing(requirement -> String.join(",", requirement.values())))
            .toList();
  }

  /** Returns the selector for label sets that satisfy all of these. */
  public static LabelSelector of(List<Requirement> requirements) {
    return requirements.isEmpty() ? EVERYTHING : new LabelSelector(false, requirements);
  }

  /** Returns the selector for label sets that contain all these pairs. */
  public static LabelSelector ofPairs(Map<String, String> pairs) {
    return of(
        pairs.entrySet().stream()
            .map(pair -> new Requirement(pair.getKey(), LabelOperator.IN, List.of(pair.getValue())))
            .toList());
  }

  public static LabelSelector nothing() {
    return NOTHING;
  }

  public static LabelSelector everything() {
    return EVERYTHING;
  }

  /** Returns whether this selects every label set, because it has no requirements. */
  public boolean isEverything() {
    return !matchesNothing && requirements.isEmpty();
  }

  /** Returns whether the labels satisfy every requirement. */
  public boolean matches(Map<String, String> labels) {
    if (matchesNothing) {
      return false;
    }
    for (Requirement requirement : requirements) {
      if (!requirement.matches(labels)) {
        return false;
      }
    }
    return true;
  }
}
