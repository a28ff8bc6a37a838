package io.berth.webhook.admission;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Applies JSON patches (RFC 6902); supports only the operations that the webhook uses. */
final class JsonPatch {
  private JsonPatch() {}

  static JsonNode apply(JsonNode document, JsonNode patch) {
    JsonNode result = document.deepCopy();
    for (JsonNode operation : patch) {
      String path = operation.path("path").asText();
      int last = path.lastIndexOf('/');
      ObjectNode parent = (ObjectNode) result.at(path.substring(0, last));
      String field = path.substring(last + 1).replace("~1", "/").replace("~0", "~");
      switch (operation.path("op").asText()) {
        case "add" -> parent.set(field, operation.get("value"));
        case "remove" -> {
          if (parent.remove(field) == null) {
            throw new IllegalArgumentException("nothing to remove at " + path);
          }
        }
        default -> throw new IllegalArgumentException(operation.toString());
      }
    }
    return result;
  }
}
