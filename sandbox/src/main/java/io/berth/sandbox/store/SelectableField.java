package io.berth.sandbox.store;

import com.fasterxml.jackson.databind.JsonNode;

/**
 * A field that field selectors may name. The store reads it once per version of an object.
 *
 * @param name what the selector calls it, for instance {@code spec.nodeName}
 * @param path the dotted path of the value in the object
 * @param absent what an object without the field counts as, for instance {@code false}
 * @param indexed whether lists by this field are answered without a scan
 */
public record SelectableField(String name, String path, String absent, boolean indexed) {

  /** A field named by its own path, empty when absent, without an index. */
  public static SelectableField of(String path) {
    return new SelectableField(path, path, "", false);
  }

  /** Like {@link #of(String)}, with an index. */
  public static SelectableField indexed(String path) {
    return new SelectableField(path, path, "", true);
  }

  /** The field's value in an object, as selectors compare it. */
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
