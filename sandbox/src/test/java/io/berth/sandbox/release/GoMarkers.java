package io.berth.sandbox.release;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The markers in a Go comment: the lines that start with a plus sign. Other lines are ignored.
 *
 * @param lines the markers without the plus sign, for example {@code listType=map}
 */
record GoMarkers(List<String> lines) {
  static final GoMarkers NONE = new GoMarkers(List.of());

  /** Returns these markers and a line of a comment, if it is a marker. */
  GoMarkers with(String line) {
    String text = line.substring("//".length()).strip();
    if (!text.startsWith("+")) {
      return this;
    }
    List<String> more = new ArrayList<>(lines);
    more.add(text.substring(1));
    return new GoMarkers(more);
  }

  GoMarkers and(GoMarkers others) {
    List<String> all = new ArrayList<>(lines);
    all.addAll(others.lines);
    return new GoMarkers(all);
  }

  boolean has(String name) {
    return lines.contains(name);
  }

  Optional<String> value(String name) {
    return values(name).stream().findFirst();
  }

  List<String> values(String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name + "="))
        .map(line -> line.substring(name.length() + 1))
        .toList();
  }
}
