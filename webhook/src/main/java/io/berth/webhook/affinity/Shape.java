package io.berth.webhook.affinity;

import java.util.List;
import java.util.Map;

/** The possible contents of a field, following the Kubernetes API's types. */
public sealed interface Shape {

  /**
   * A string.
   *
   * @param emptyMeansAll whether the object with an empty one stands for everything, so that a
   *     template must not render one by accident
   */
  record Text(boolean emptyMeansAll) implements Shape {
    /** A string that means nothing special where it is empty. */
    public Text() {
      this(false);
    }
  }

  /** A 32-bit integer, or one of 64 bits. */
  record Whole(boolean wide) implements Shape {}

  /** A list of one shape of items. */
  record ListOf(Shape item) implements Shape {}

  /** A map from label names to strings. */
  record Labels() implements Shape {}

  /**
   * An object with known fields; templates may make it conditional.
   *
   * @param required the fields that must be there
   * @param essential the fields without which the object would mean something else: where {@code
   *     $if} drops one, it drops the object
   */
  record Fields(Map<String, Shape> fields, List<String> required, List<String> essential)
      implements Shape {
    /** An object of which only the required fields are essential. */
    public Fields(Map<String, Shape> fields, List<String> required) {
      this(fields, required, required);
    }
  }
}
