package io.berth.webhook.template;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;

/**
 * A spec's tree with its templates parsed. Rendering keeps its structure; only leaves and
 * conditions are evaluated.
 */
sealed interface TreeNode {

  /** A subtree without templates, shared by all renderings. */
  record Constant(JsonNode value) implements TreeNode {}

  /**
   * A string that is a template.
   *
   * @param path where it is in the spec
   * @param source as it was written
   * @param expression what it computes
   * @param kind what the field takes
   */
  record Leaf(String path, String source, Expression expression, LeafKind kind)
      implements TreeNode {}

  /** The kind of value that a template's field accepts. */
  enum LeafKind {
    /** A string: a number is written as one. */
    TEXT,
    /** A string that must not be empty: the object would stand for everything. */
    FILLED_TEXT,
    /** Anything else: a number, a condition, or what is of no use there. */
    OTHER;

    boolean isText() {
      return this != OTHER;
    }
  }

  /**
   * An object; dropped if its condition is false, if conditions drop all that it holds, or if they
   * drop an essential field.
   *
   * @param labels whether its fields are labels, whose places are written {@code [name]}
   */
  record Branch(
      Optional<Leaf> condition, List<Field> fields, List<String> essential, boolean labels)
      implements TreeNode {}

  /** A field of an object. */
  record Field(String name, TreeNode value) {}

  /** A list; dropped if conditions drop all its items. */
  record Items(List<TreeNode> items) implements TreeNode {}
}
