package io.berth.sandbox.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Detection of duplicate fields in JSON bodies. */
final class DuplicateFields {
  private DuplicateFields() {}

  /**
   * Returns the paths of duplicate fields, for example {@code spec.replicas}, without repetition.
   */
  static List<String> in(byte[] body) throws IOException {
    List<String> duplicates = new ArrayList<>();
    Deque<Set<String>> open = new ArrayDeque<>();
    try (JsonParser parser = Json.MAPPER.createParser(body)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        switch (token) {
          case START_OBJECT -> open.push(new HashSet<>());
          case END_OBJECT -> open.pop();
          case FIELD_NAME -> {
            if (!open.getFirst().add(parser.currentName())) {
              String path = path(parser.getParsingContext());
              if (!duplicates.contains(path)) {
                duplicates.add(path);
              }
            }
          }
          default -> {}
        }
      }
    }
    return duplicates;
  }

  private static String path(JsonStreamContext at) {
    JsonStreamContext parent = at.getParent();
    String before = parent == null || parent.inRoot() ? "" : path(parent);
    if (at.inArray()) {
      return before + "[" + at.getCurrentIndex() + "]";
    }
    return before.isEmpty() ? at.getCurrentName() : before + "." + at.getCurrentName();
  }
}
