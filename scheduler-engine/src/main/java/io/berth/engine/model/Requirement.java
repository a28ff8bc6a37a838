package io.berth.engine.model;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One condition on a label. {@code NOT_IN} and {@code DOES_NOT_EXIST} hold if the label is absent;
 * every other operator requires it.
 *
 * @param values sorted and distinct; empty for {@code EXISTS} and {@code DOES_NOT_EXIST}; exactly
 *     one integer for {@code GREATER_THAN} and {@code LESS_THAN}
 */
public record Requirement(String key, Operator operator, List<String> values) {
  public Requirement {
    values = values.stream().sorted().distinct().toList();
  }

  /** Returns whether a set of labels satisfies the condition. */
  public boolean matches(Map<String, String> labels) {
    return matchesValue(labels.get(key));
  }

  /** Returns whether a label with this value satisfies the condition; null for an absent label. */
  public boolean matchesValue(@Nullable String value) {
    return switch (operator) {
      case IN -> value != null && values.contains(value);
      case NOT_IN -> value == null || !values.contains(value);
      case EXISTS -> value != null;
      case DOES_NOT_EXIST -> value == null;
      case GREATER_THAN -> compare(value) > 0;
      case LESS_THAN -> compare(value) < 0;
    };
  }

  private int compare(@Nullable String value) {
    OptionalLong actual = value == null ? OptionalLong.empty() : integer(value);
    OptionalLong wanted = integer(values.getFirst());
    if (actual.isEmpty() || wanted.isEmpty()) {
      return 0;
    }
    return Long.compare(actual.getAsLong(), wanted.getAsLong());
  }

  /** Parses a 64-bit decimal integer with an optional sign, like Go's {@code strconv.ParseInt}. */
  public static OptionalLong integer(String text) {
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException notAnInteger) {
      return OptionalLong.empty();
    }
  }
}
