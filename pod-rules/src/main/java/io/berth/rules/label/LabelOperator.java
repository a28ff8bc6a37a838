package io.berth.rules.label;

import java.util.Collection;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operator of label selectors and node selectors, which compares the value of a label with
 * listed values.
 */
public enum LabelOperator {
  IN("In"),
  NOT_IN("NotIn"),
  EXISTS("Exists"),
  DOES_NOT_EXIST("DoesNotExist"),
  /** The value, as a 64-bit integer, is greater than the single listed one. */
  GREATER_THAN("Gt"),
  /** The value, as a 64-bit integer, is less than the single listed one. */
  LESS_THAN("Lt");

  private static final LabelOperator[] ALL = values();

  private final String written;

  LabelOperator(String written) {
    this.written = written;
  }

  /** Returns the operator that node selectors write this way; empty if there is none. */
  public static Optional<LabelOperator> ofNodeSelector(@Nullable String written) {
    for (LabelOperator each : ALL) {
      if (each.written.equals(written)) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }

  /** Returns the operator that label selectors write this way; empty if there is none. */
  public static Optional<LabelOperator> ofLabelSelector(@Nullable String written) {
    return ofNodeSelector(written).filter(operator -> !operator.isBound());
  }

  /** Returns the word of Kubernetes for this operator, such as {@code NotIn}. */
  public String written() {
    return written;
  }

  /** Returns whether the single value listed is a bound: only node selectors have those. */
  public boolean isBound() {
    return this == GREATER_THAN || this == LESS_THAN;
  }

  /** Returns whether a condition with this operator may list so many values. */
  public boolean accepts(int values) {
    return switch (this) {
      case IN, NOT_IN -> values > 0;
      case EXISTS, DOES_NOT_EXIST -> values == 0;
      case GREATER_THAN, LESS_THAN -> values == 1;
    };
  }

  /** Returns whether a value can be compared with a bound: a 64-bit integer, with a sign or not. */
  public static boolean isInteger(String value) {
    try {
      Long.parseLong(value);
      return true;
    } catch (NumberFormatException notAnInteger) {
      return false;
    }
  }

  /**
   * Returns whether a condition with this operator holds.
   *
   * @param value the value of the label; null if it is absent
   * @param listed the values in the condition
   */
  public boolean holds(@Nullable String value, Collection<String> listed) {
    return switch (this) {
      case IN -> value != null && listed.contains(value);
      case NOT_IN -> value == null || !listed.contains(value);
      case EXISTS -> value != null;
      case DOES_NOT_EXIST -> value == null;
      case GREATER_THAN -> value != null && compare(value, listed) > 0;
      case LESS_THAN -> value != null && compare(value, listed) < 0;
    };
  }

  /** Compares integers; returns 0, which satisfies neither operator, if one is not an integer. */
  private static int compare(String value, Collection<String> listed) {
    if (listed.size() != 1) {
      return 0;
    }
    try {
      return Long.compare(Long.parseLong(value), Long.parseLong(listed.iterator().next()));
    } catch (NumberFormatException notIntegers) {
      return 0;
    }
  }
}
