package io.berth.sandbox.release;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A field of a Go struct.
 *
 * @param name name in Go; empty for an embedded struct
 * @param type type with full package paths, for example {@code []k8s.io/api/core/v1.Pod}
 * @param tags tags by key, for example {@code json}
 * @param markers markers in its comment
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

  /** Returns the number in protobuf messages; 0 if it has none. */
  int number() {
    Matcher number = NUMBER.matcher(tags.getOrDefault("protobuf", ""));
    return number.matches() ? Integer.parseInt(number.group(1)) : 0;
  }

  /** Returns the name in JSON; a dot for a struct whose fields are inlined. */
  String jsonName() {
    List<String> parts = json();
    boolean inlined = parts.contains("inline") || (name.isEmpty() && parts.getFirst().isEmpty());
    return inlined ? "." : parts.getFirst();
  }

  /** Returns whether zero values are omitted from JSON. */
  boolean omitsZero() {
    return json().contains("omitempty") || json().contains("omitzero");
  }

  /** Returns whether clients must set a value. */
  boolean required() {
    return markers.has("required")
        || markers.has("k8s:required")
        || (!omitsZero() && !markers.has("optional") && !markers.has("k8s:optional"));
  }

  private List<String> json() {
    return List.of(tags.getOrDefault("json", "").split(",", -1));
  }
}
