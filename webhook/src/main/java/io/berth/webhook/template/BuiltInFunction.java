package io.berth.webhook.template;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The FreeMarker built-ins that templates can use. No result is longer than the input, except for
 * the case conversion of a few letters.
 */
enum BuiltInFunction {
  LOWER_CASE("lower_case", 0),
  UPPER_CASE("upper_case", 0),
  TRIM("trim", 0),
  LENGTH("length", 0),
  STARTS_WITH("starts_with", 1),
  ENDS_WITH("ends_with", 1),
  CONTAINS("contains", 1),
  HAS_CONTENT("has_content", 0),
  SIZE("size", 0),
  SEQ_CONTAINS("seq_contains", 1),
  C("c", 0),
  STRING("string", 0),
  THEN("then", 2);

  private final String key;
  private final int arguments;

  BuiltInFunction(String key, int arguments) {
    this.key = key;
    this.arguments = arguments;
  }

  /** Returns the name that follows the question mark. */
  String key() {
    return key;
  }

  /** Returns the number of its arguments. */
  int arguments() {
    return arguments;
  }

  static Optional<BuiltInFunction> of(String key) {
    return Arrays.stream(values()).filter(function -> function.key.equals(key)).findFirst();
  }

  static List<String> keys() {
    return Arrays.stream(values()).map(BuiltInFunction::key).toList();
  }
}
