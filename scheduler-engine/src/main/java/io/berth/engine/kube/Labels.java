package io.berth.engine.kube;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Validation of names, label keys and label values by the rules of the API server. */
final class Labels {
  /** The maximum number of labels, which is far above that of any real object. */
  static final int MAX_LABELS = 1_000;

  private static final int MAX_KEY = 253 + 1 + 63;
  private static final int MAX_VALUE = 63;
  private static final int MAX_NAME = 253;

  private Labels() {}

  /** Returns the labels; none if they are absent. */
  static Map<String, String> read(@Nullable Map<String, String> labels, String where) {
    if (labels == null || labels.isEmpty()) {
      return Map.of();
    }
    if (labels.size() > MAX_LABELS) {
      throw new RefusedException(
          where + " has " + labels.size() + " labels; the limit is " + MAX_LABELS);
    }
    labels.forEach((key, value) -> check(key, value, where));
    return labels;
  }

  /** Rejects a label that the API server would reject. */
  static void check(@Nullable String key, @Nullable String value, String where) {
    if (key == null || key.isEmpty() || key.length() > MAX_KEY) {
      throw new RefusedException(where + " has a label whose key has no or too many characters");
    }
    if (value == null || !isValue(value)) {
      throw new RefusedException(where + " has an invalid value for label '" + key + "'");
    }
  }

  /** Returns whether this is a valid label value. */
  static boolean isValue(String value) {
    int length = value.length();
    if (length == 0) {
      return true;
    }
    if (length > MAX_VALUE || !isAlphanumeric(value.charAt(0))) {
      return false;
    }
    for (int i = 1; i < length; i++) {
      char c = value.charAt(i);
      if (!isAlphanumeric(c) && (i == length - 1 || (c != '-' && c != '_' && c != '.'))) {
        return false;
      }
    }
    return true;
  }

  /** Returns the name, which is required. */
  static String requireName(@Nullable String name, String what) {
    if (name == null || name.isEmpty()) {
      throw new RefusedException(what + " is missing");
    }
    if (name.length() > MAX_NAME) {
      throw new RefusedException(
          what + " has " + name.length() + " characters; at most " + MAX_NAME + " are allowed");
    }
    return name;
  }

  private static boolean isAlphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
