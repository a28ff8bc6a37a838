package io.berth.webhook.affinity;

import java.util.List;
import java.util.Map;

/** The structure of a field, following the types of the Kubernetes API. */
public sealed interface Shape {

  /**
   * A string.
   *
   * @param emptyMeansAll whether an empty string makes the object match everything, so a template
   *     must not render one
   */
  record Text(boolean emptyMeansAll) implements Shape {
    /** Creates a string without a special meaning if it is empty. */
    public Text() {
      this(false);
    }
  }

  /** A 32-bit integer, or a 64-bit integer if {@code wide}. */
  record Whole(boolean wide) implements Shape {}

  /** A list whose items have the same shape. */
  record ListOf(Shape item) implements Shape {}

  /** A map from label names to strings. */
  record Labels() implements Shape {}

  /**
   * An object with known fields; templates may make it conditional.
   *
   * @param required the fields that must be present
   * @param essential the fields without which the object would have another meaning; if {@code $if}
   *     drops one, the object is dropped as well
   */
  record Fields(Map<String, Shape> fields, List<String> required, List<String> essential)
      implements Shape {
    /** Creates an object whose essential fields are the required ones. */
    public Fields(Map<String, Shape> fields, List<String> required) {
      this(fields, required, required);
    }
  }
}
