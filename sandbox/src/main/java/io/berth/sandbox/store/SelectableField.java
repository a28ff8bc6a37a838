package io.berth.sandbox.store;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A field supported by field selectors. The store extracts its value once per version of an object.
 *
 * @param name name in field selectors, for example {@code spec.nodeName}
 * @param path dotted path of the value in the object
 * @param absent value of objects without the field, for example {@code false}
 * @param indexed whether the field is indexed, so that lists by this field need no scan
 */
public record SelectableField(String name, String path, String absent, boolean indexed) {

  /** Returns a field that is named by its path, is empty when absent, and has no index. */
  public static SelectableField of(String path) {
    return new SelectableField(path, path, "", false);
  }

  /** Returns a field like {@link #of(String)}, but with an index. */
  public static SelectableField indexed(String path) {
    return new SelectableField(path, path, "", true);
  }

  /** Returns the field's value in an object, as used by selectors. */
  public String read(JsonNode object) {
    JsonNode at = object;
    int from = 0;
    while (from <= path.length()) {
      int dot = path.indexOf('.', from);
      int to = dot < 0 ? path.length() : dot;
      at = at.path(path.substring(from, to));
      from = to + 1;
    }
    return at.isMissingNode() || at.isNull() ? absent : at.asText();
  }
}
