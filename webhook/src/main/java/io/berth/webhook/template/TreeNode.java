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
   * @param text whether the field takes a string, so that a number is to be written as one
   */
  record Leaf(String path, String source, Expression expression, boolean text)
      implements TreeNode {}

  /** An object; dropped if its condition is false. */
  record Branch(Optional<Leaf> condition, List<Field> fields) implements TreeNode {}

  /** A field of an object. */
  record Field(String name, TreeNode value) {}

  /** A list. */
  record Items(List<TreeNode> items) implements TreeNode {}
}
