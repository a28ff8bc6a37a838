package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The names of nodes in messages, which not every user may see. Messages come from many places,
 * also from extenders and failed plugins, so every word that names a node of the cluster counts.
 */
final class NodeNames {
  private static final Set<String> MESSAGES = Set.of("message", "outcome", "reason");
  private static final Pattern WORD =
      Pattern.compile("(?<![A-Za-z0-9])[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?(?![A-Za-z0-9])");

  private final Predicate<String> isNode;
  private final String own;

  /**
   * @param isNode whether there is a node of this name
   * @param own the node of the pod, which its owner may see; empty if it has none
   */
  NodeNames(Predicate<String> isNode, String own) {
    this.isNode = isNode;
    this.own = own;
  }

  /** Replaces the names of other nodes in all messages of an object, however deep. */
  void hideIn(JsonNode object) {
    for (JsonNode child : object) {
      hideIn(child);
    }
    if (object instanceof ObjectNode fields) {
      for (Map.Entry<String, JsonNode> field : fields.properties()) {
        if (MESSAGES.contains(field.getKey()) && field.getValue().isTextual()) {
          field.setValue(TextNode.valueOf(hideIn(field.getValue().asText())));
        }
      }
    }
  }

  /** Returns a message without the names of other nodes. */
  String hideIn(String message) {
    return WORD.matcher(message)
        .replaceAll(
            word ->
                !word.group().equals(own) && isNode.test(word.group()) ? "a node" : word.group());
  }
}
