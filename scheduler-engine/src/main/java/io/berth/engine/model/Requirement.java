package io.berth.engine.model;

import io.berth.rules.label.LabelOperator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One condition on a label. {@code NOT_IN} and {@code DOES_NOT_EXIST} hold if the label is absent;
 * every other operator requires it.
 *
 * @param values sorted and distinct; empty for {@code EXISTS} and {@code DOES_NOT_EXIST}; exactly
 *     one integer for {@code GREATER_THAN} and {@code LESS_THAN}
 */
public record Requirement(String key, LabelOperator operator, List<String> values) {
  public Requirement {
    values = values.stream().sorted().distinct().toList();
  }

  /** Returns the condition that the label has one of these values. */
  public static Requirement isOneOf(String key, String... values) {
    return new Requirement(key, LabelOperator.IN, List.of(values));
  }

  /** Returns whether a set of labels satisfies the condition. */
  public boolean matches(Map<String, String> labels) {
    return matchesValue(labels.get(key));
  }

  /** Returns whether a label with this value satisfies the condition; null for an absent label. */
  public boolean matchesValue(@Nullable String value) {
    return operator.holds(value, values);
  }
}
