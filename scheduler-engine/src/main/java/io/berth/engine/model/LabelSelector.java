package io.berth.engine.model;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * A label selector: it matches label sets that satisfy every requirement. Equal selectors are equal
 * values, in whatever order their requirements were written.
 *
 * @param matchesNothing a selector that is absent where one is needed selects no object at all
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

  /** The selector that every label set satisfies if it satisfies all of these. */
  public static LabelSelector of(List<Requirement> requirements) {
    return requirements.isEmpty() ? EVERYTHING : new LabelSelector(false, requirements);
  }

  /** Selects labels that have all these pairs. */
  public static LabelSelector ofPairs(Map<String, String> pairs) {
    return of(
        pairs.entrySet().stream()
            .map(pair -> new Requirement(pair.getKey(), Operator.IN, List.of(pair.getValue())))
            .toList());
  }

  public static LabelSelector nothing() {
    return NOTHING;
  }

  public static LabelSelector everything() {
    return EVERYTHING;
  }

  /** Returns whether this selects every label set, having no requirement. */
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
