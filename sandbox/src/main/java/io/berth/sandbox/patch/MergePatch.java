package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * JSON Merge Patch (RFC 7386): null removes a member, objects are merged, and all other values are
 * replaced.
 */
final class MergePatch {
  private MergePatch() {}

  /**
   * Returns the patched document. Neither argument is modified, and unchanged subtrees are shared
   * with the original.
   */
  static ObjectNode apply(ObjectNode original, JsonNode patch) {
    if (!(patch instanceof ObjectNode members)) {
      throw PatchFailures.badRequest("error decoding patch: json: cannot unmarshal into an object");
    }
    return merge(original, members);
  }

  private static ObjectNode merge(ObjectNode original, ObjectNode patch) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.setAll(original);
    patch
        .properties()
        .forEach(
            member -> {
              String name = member.getKey();
              JsonNode value = member.getValue();
              if (value.isNull()) {
                result.remove(name);
              } else if (value instanceof ObjectNode object) {
                ObjectNode old =
                    result.get(name) instanceof ObjectNode present
                        ? present
                        : JsonNodeFactory.instance.objectNode();
                result.set(name, merge(old, object));
              } else {
                result.set(name, value);
              }
            });
    return result;
  }
}
