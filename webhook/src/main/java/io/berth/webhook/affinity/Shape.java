package io.berth.webhook.affinity;

import java.util.List;
import java.util.Map;

/** What a field may hold, after the Kubernetes API's types. */
public sealed interface Shape {

  /** A string. */
  record Text() implements Shape {}

  /** A 32-bit integer, or one of 64 bits. */
  record Whole(boolean wide) implements Shape {}

  /** A list of one shape of items. */
  record ListOf(Shape item) implements Shape {}

  /** A map from label names to strings. */
  record Labels() implements Shape {}

  /** An object with known fields; templates may make it conditional. */
  record Fields(Map<String, Shape> fields, List<String> required) implements Shape {}
}
