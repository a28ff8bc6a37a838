package io.berth.sandbox.release;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One field of a Go struct.
 *
 * @param name in Go; empty for an embedded struct
 * @param type with full package paths, for instance {@code []k8s.io/api/core/v1.Pod}
 * @param tags by their key, for instance {@code json}
 * @param markers of its comment
 */
record GoField(String name, String type, Map<String, String> tags, GoMarkers markers) {
  private static final Pattern TAG = Pattern.compile("(\\w+):\"([^\"]*)\"");
  private static final Pattern NUMBER = Pattern.compile("^\\w+,(\\d+),.*$");

  static GoField of(@Nullable String name, String type, String tags, GoMarkers markers) {
    Map<String, String> read = new HashMap<>();
    Matcher tag = TAG.matcher(tags);
    while (tag.find()) {
      read.put(tag.group(1), tag.group(2));
    }
    return new GoField(name == null ? "" : name, type, Map.copyOf(read), markers);
  }

  /** The number in protobuf messages; 0 for none. */
  int number() {
    Matcher number = NUMBER.matcher(tags.getOrDefault("protobuf", ""));
    return number.matches() ? Integer.parseInt(number.group(1)) : 0;
  }

  /** The name in JSON; a dot for a struct whose fields JSON inlines. */
  String jsonName() {
    List<String> parts = json();
    return parts.contains("inline") ? "." : parts.getFirst();
  }

  /** Returns whether JSON leaves a zero value out. */
  boolean omitsZero() {
    return json().contains("omitempty") || json().contains("omitzero");
  }

  /** Returns whether clients must give a value. */
  boolean required() {
    return markers.has("required")
        || markers.has("k8s:required")
        || (!omitsZero() && !markers.has("optional") && !markers.has("k8s:optional"));
  }

  private List<String> json() {
    return List.of(tags.getOrDefault("json", "").split(",", -1));
  }
}
