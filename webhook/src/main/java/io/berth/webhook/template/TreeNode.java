package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * A tree of values in a spec, with parsed templates. Rendering evaluates only leaves and
 * conditions, and keeps the rest of the structure.
 */
sealed interface TreeNode {

  /** A subtree without templates, shared by all renderings. */
  record Constant(JsonNode value) implements TreeNode {}

  /**
   * A string that is a template.
   *
   * @param path the path in the spec
   * @param source the template as written
   * @param expression the parsed template
   * @param kind the kind of value that the field accepts
   */
  record Leaf(String path, String source, Expression expression, LeafKind kind)
      implements TreeNode {}

  /** The kind of value that a template's field accepts. */
  enum LeafKind {
    /** A string; integers and booleans are converted to strings. */
    TEXT,
    /** A string that must not be empty, because the object would then match everything. */
    FILLED_TEXT,
    /** Anything else: an integer, a condition, or a value in an unknown field. */
    OTHER;

    boolean isText() {
      return this != OTHER;
    }
  }

  /**
   * An object. It is dropped if its condition is false, or if conditions drop all of its fields or
   * an essential one.
   *
   * @param labels whether its fields are labels, whose paths are written as {@code [name]}
   */
  record Branch(
      Optional<Leaf> condition, List<Field> fields, List<String> essential, boolean labels)
      implements TreeNode {}

  /** A field of an object. */
  record Field(String name, TreeNode value) {}

  /** A list. It is dropped if conditions drop all of its items. */
  record Items(List<TreeNode> items) implements TreeNode {}
}
