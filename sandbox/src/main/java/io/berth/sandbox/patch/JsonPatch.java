package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** JSON Patch (RFC 6902) with the limits and messages of the API server. */
final class JsonPatch {
  private static final int MAX_OPERATIONS = 10_000;
  private static final String MISSING = ": missing value";
  private static final String BAD_INDEX = ": invalid index referenced";

  private JsonPatch() {}

  /**
   * Returns the patched document. The original is not modified.
   *
   * @throws io.berth.sandbox.failure.ApiException if the patch cannot be decoded (400), has too
   *     many operations (413), or cannot be applied (422)
   */
  static ObjectNode apply(ObjectNode original, JsonNode patch) {
    if (!(patch instanceof ArrayNode operations)) {
      throw PatchFailures.badRequest(
          "json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    }
    if (operations.size() > MAX_OPERATIONS) {
      throw PatchFailures.tooLarge(
          "The allowed maximum operations in a JSON patch is "
              + MAX_OPERATIONS
              + ", got "
              + operations.size());
    }
    JsonNode document = original.deepCopy();
    for (JsonNode operation : operations) {
      document = applyOne(document, operation);
    }
    if (!(document instanceof ObjectNode object)) {
      throw PatchFailures.unprocessable("the patched document is not an object");
    }
    return object;
  }

  private static JsonNode applyOne(JsonNode document, JsonNode operation) {
    String op = operation.path("op").asText("unknown");
    return switch (op) {
      case "add" -> add(document, path(op, operation), value(operation));
      case "remove" -> remove(document, path(op, operation));
      case "replace" -> replace(document, path(op, operation), value(operation));
      case "move" -> move(document, from(op, operation), path(op, operation));
      case "copy" -> copy(document, from(op, operation), path(op, operation));
      case "test" -> test(document, path(op, operation), operation.get("value"));
      default -> throw PatchFailures.unprocessable("Unexpected kind: " + op);
    };
  }

  private static String path(String op, JsonNode operation) {
    JsonNode path = operation.get("path");
    if (path == null || !path.isTextual()) {
      throw PatchFailures.unprocessable(op + " operation failed to decode path" + MISSING);
    }
    return path.textValue();
  }

  private static String from(String op, JsonNode operation) {
    JsonNode from = operation.get("from");
    if (from == null || !from.isTextual()) {
      throw PatchFailures.unprocessable(op + " operation failed to decode from" + MISSING);
    }
    return from.textValue();
  }

  private static JsonNode value(JsonNode operation) {
    JsonNode value = operation.get("value");
    return value == null ? JsonNodeFactory.instance.nullNode() : value.deepCopy();
  }

  private static JsonNode add(JsonNode document, String path, JsonNode value) {
    if (path.isEmpty()) {
      return value;
    }
    Target target = locate(document, path);
    if (target == null) {
      throw PatchFailures.unprocessable(
          "add operation does not apply: doc is missing path: \"" + path + "\"" + MISSING);
    }
    insert(target, value, "error in add for path: '" + path + "': ");
    return document;
  }

  private static JsonNode remove(JsonNode document, String path) {
    Target target = locate(document, path);
    if (target == null) {
      throw PatchFailures.unprocessable(
          "remove operation does not apply: doc is missing path: \"" + path + "\"" + MISSING);
    }
    take(target, "error in remove for path: '" + path + "': ");
    return document;
  }

  private static JsonNode replace(JsonNode document, String path, JsonNode value) {
    if (path.isEmpty()) {
      return value;
    }
    Target target = locate(document, path);
    if (target == null) {
      throw PatchFailures.unprocessable(
          "replace operation does not apply: doc is missing path: " + path + MISSING);
    }
    if (target.current() == null) {
      throw PatchFailures.unprocessable(
          "replace operation does not apply: doc is missing key: " + path + MISSING);
    }
    if (target.parent instanceof ObjectNode object) {
      object.set(target.key, value);
    } else if (target.parent instanceof ArrayNode array) {
      array.set(
          index(target.key, array.size(), "error in remove for path: '" + path + "': "), value);
    }
    return document;
  }

  private static JsonNode move(JsonNode document, String from, String path) {
    Target source = locate(document, from);
    if (source == null) {
      throw PatchFailures.unprocessable(
          "move operation does not apply: doc is missing from path: " + from + MISSING);
    }
    JsonNode moved = take(source, "error in move for path: '" + source.key + "': ");
    Target target = locate(document, path);
    if (target == null) {
      throw PatchFailures.unprocessable(
          "move operation does not apply: doc is missing destination path: " + path + MISSING);
    }
    insert(target, moved, "error in move for path: '" + path + "': ");
    return document;
  }

  private static JsonNode copy(JsonNode document, String from, String path) {
    Target source = locate(document, from);
    JsonNode copied = source == null ? null : source.current();
    if (copied == null) {
      throw PatchFailures.unprocessable(
          "copy operation does not apply: doc is missing from path: " + from + MISSING);
    }
    Target target = locate(document, path);
    if (target == null) {
      throw PatchFailures.unprocessable(
          "copy operation does not apply: doc is missing destination path: " + path + MISSING);
    }
    insert(target, copied.deepCopy(), "error while adding value during copy: ");
    return document;
  }

  private static JsonNode test(JsonNode document, String path, @Nullable JsonNode expected) {
    JsonNode found;
    if (path.isEmpty()) {
      found = document;
    } else {
      Target target = locate(document, path);
      if (target == null) {
        throw PatchFailures.unprocessable(
            "test operation does not apply: is missing path: " + path + MISSING);
      }
      found = target.current();
    }
    JsonNode absent = JsonNodeFactory.instance.nullNode();
    boolean same =
        JsonValues.equal(
            Objects.requireNonNullElse(found, absent),
            Objects.requireNonNullElse(expected, absent));
    if (!same) {
      throw PatchFailures.unprocessable("testing value " + path + " failed: test failed");
    }
    return document;
  }

  private static void insert(Target target, JsonNode value, String words) {
    if (target.parent instanceof ObjectNode object) {
      object.set(target.key, value);
    } else if (target.parent instanceof ArrayNode array) {
      if (target.key.equals("-")) {
        array.add(value);
      } else {
        array.insert(index(target.key, array.size() + 1, words), value);
      }
    }
  }

  private static JsonNode take(Target target, String words) {
    if (target.parent instanceof ArrayNode array) {
      return array.remove(index(target.key, array.size(), words));
    }
    JsonNode removed =
        target.parent instanceof ObjectNode object ? object.remove(target.key) : null;
    if (removed == null) {
      throw PatchFailures.unprocessable(
          words + "Unable to remove nonexistent key: " + target.key + MISSING);
    }
    return removed;
  }

  private static int index(String key, int bound, String words) {
    int index;
    try {
      index = Integer.parseInt(key);
    } catch (NumberFormatException e) {
      throw PatchFailures.unprocessable(
          words
              + "value was not a proper array index: '"
              + key
              + "': strconv.Atoi: parsing \""
              + key
              + "\": invalid syntax");
    }
    int resolved = index < 0 ? index + bound : index;
    if (resolved < 0 || resolved >= bound) {
      throw PatchFailures.unprocessable(
          words + "Unable to access invalid index: " + index + BAD_INDEX);
    }
    return resolved;
  }

  private record Target(JsonNode parent, String key) {
    @Nullable JsonNode current() {
      if (parent instanceof ArrayNode array) {
        return array.get(index(key, array.size(), ""));
      }
      return parent.get(key);
    }
  }

  private static @Nullable Target locate(JsonNode document, String path) {
    if (!path.startsWith("/")) {
      return null;
    }
    List<String> keys = new ArrayList<>();
    for (String part : path.substring(1).split("/", -1)) {
      keys.add(part.replace("~1", "/").replace("~0", "~"));
    }
    JsonNode parent = document;
    for (String key : keys.subList(0, keys.size() - 1)) {
      parent = child(parent, key);
      if (parent == null || !parent.isContainerNode()) {
        return null;
      }
    }
    return new Target(parent, keys.getLast());
  }

  private static @Nullable JsonNode child(JsonNode parent, String key) {
    if (parent instanceof ArrayNode array) {
      try {
        return array.get(Integer.parseInt(key));
      } catch (NumberFormatException e) {
        return null;
      }
    }
    return parent.get(key);
  }
}
