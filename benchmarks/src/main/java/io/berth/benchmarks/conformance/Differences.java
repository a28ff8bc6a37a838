package io.berth.benchmarks.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** The differences between the actual and the expected results of one vector, as text. */
final class Differences {
  private final List<String> lines = new ArrayList<>();

  void add(String difference) {
    lines.add(difference);
  }

  /** Compares two maps key by key. */
  <V> void compare(String what, Map<String, V> expected, Map<String, V> actual) {
    TreeSet<String> keys = new TreeSet<>(expected.keySet());
    keys.addAll(actual.keySet());
    for (String key : keys) {
      compare(what + " of " + key, expected.get(key), actual.get(key));
    }
  }

  void compare(String what, Object expected, Object actual) {
    if (!Objects.equals(expected, actual)) {
      add(what + ": expected " + orNothing(expected) + ", was " + orNothing(actual));
    }
  }

  private static String orNothing(Object value) {
    return value == null ? "nothing" : value.toString();
  }

  boolean isEmpty() {
    return lines.isEmpty();
  }

  List<String> lines() {
    return List.copyOf(lines);
  }
}
