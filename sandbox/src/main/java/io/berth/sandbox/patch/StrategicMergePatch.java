package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The strategic merge patch of Kubernetes: a merge patch in which lists can be merged by key, with
 * support for directives ($patch, $deleteFromPrimitiveList, $setElementOrder, $retainKeys).
 */
final class StrategicMergePatch {
  private static final String DIRECTIVE = "$patch";
  private static final String RETAIN_KEYS = "$retainKeys";
  private static final String DELETE_FROM = "$deleteFromPrimitiveList/";
  private static final String ELEMENT_ORDER = "$setElementOrder/";

  private StrategicMergePatch() {}

  /**
   * Returns the patched document. Neither argument is modified.
   *
   * @throws io.berth.sandbox.failure.ApiException if a directive is unknown or an item lacks its
   *     merge key
   */
  static ObjectNode apply(ObjectNode original, JsonNode patch, MergeType type) {
    if (!(patch instanceof ObjectNode members)) {
      throw PatchFailures.badRequest("error decoding patch: json: cannot unmarshal into an object");
    }
    return mergeMap(original, members, type);
  }

  private static ObjectNode mergeMap(ObjectNode original, ObjectNode patch, MergeType type) {
    JsonNode directive = patch.get(DIRECTIVE);
    if (directive != null) {
      return switch (directive.asText()) {
        case "replace" -> withoutDirectives(patch);
        case "delete" -> JsonNodeFactory.instance.objectNode();
        case "merge" -> mergeMembers(original, patch, type);
        default ->
            throw PatchFailures.badRequest("Unknown patch type found: " + directive.asText());
      };
    }
    return mergeMembers(original, patch, type);
  }

  private static ObjectNode mergeMembers(ObjectNode original, ObjectNode patch, MergeType type) {
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result.setAll(original);
    JsonNode retain = patch.get(RETAIN_KEYS);
    if (retain instanceof ArrayNode keys) {
      Set<String> kept = new HashSet<>();
      keys.forEach(key -> kept.add(key.asText()));
      result.retain(kept);
    }
    for (Map.Entry<String, JsonNode> member : patch.properties()) {
      String name = member.getKey();
      JsonNode value = member.getValue();
      if (name.equals(DIRECTIVE) || name.equals(RETAIN_KEYS) || name.startsWith(ELEMENT_ORDER)) {
        continue;
      }
      if (name.startsWith(DELETE_FROM)) {
        deleteFromList(result, name.substring(DELETE_FROM.length()), value);
      } else if (value.isNull()) {
        result.remove(name);
      } else {
        result.set(name, mergeValue(result.get(name), value, type.member(name)));
      }
    }
    for (Map.Entry<String, JsonNode> member : patch.properties()) {
      if (member.getKey().startsWith(ELEMENT_ORDER)) {
        String name = member.getKey().substring(ELEMENT_ORDER.length());
        if (result.get(name) instanceof ArrayNode merged) {
          ListOrder order = new ListOrder(type.member(name).patchKey());
          result.set(name, order.of(merged, member.getValue(), original.path(name)));
        }
      }
    }
    return result;
  }

  private static JsonNode mergeValue(@Nullable JsonNode original, JsonNode patch, MergeType type) {
    if (patch instanceof ObjectNode map) {
      if (type.patchReplaces() && !map.has(DIRECTIVE)) {
        return map;
      }
      ObjectNode old =
          original instanceof ObjectNode present ? present : JsonNodeFactory.instance.objectNode();
      return mergeMap(old, map, type);
    }
    if (patch instanceof ArrayNode list && type.patchMerges()) {
      ArrayNode old =
          original instanceof ArrayNode present ? present : JsonNodeFactory.instance.arrayNode();
      return type.patchKey() == null ? mergeScalars(old, list) : mergeItems(old, list, type);
    }
    return patch instanceof ArrayNode list ? withoutDirectives(list) : patch;
  }

  private static ArrayNode mergeScalars(ArrayNode original, ArrayNode patch) {
    Set<JsonNode> items = new LinkedHashSet<>();
    original.forEach(items::add);
    patch.forEach(items::add);
    ArrayNode merged = JsonNodeFactory.instance.arrayNode().addAll(items);
    return new ListOrder(null).of(merged, patch, original);
  }

  private static ArrayNode mergeItems(ArrayNode original, ArrayNode patch, MergeType type) {
    String key = type.patchKey();
    if (key == null) {
      return patch;
    }
    boolean replace = false;
    List<ObjectNode> plain = new ArrayList<>();
    List<JsonNode> deleted = new ArrayList<>();
    for (JsonNode node : patch) {
      if (!(node instanceof ObjectNode item)) {
        throw PatchFailures.badRequest("expected an object in a list merged by " + key);
      }
      String directive = item.path(DIRECTIVE).asText("");
      switch (directive) {
        case "replace" -> replace = true;
        case "delete" -> deleted.add(mergeKey(item, key));
        case "", "merge" -> plain.add(item);
        default -> throw PatchFailures.badRequest("Unknown patch type found: " + directive);
      }
    }
    Map<JsonNode, JsonNode> items = new LinkedHashMap<>();
    if (!replace) {
      original.forEach(item -> items.put(mergeKey(item, key), item));
      deleted.forEach(items::remove);
    }
    for (ObjectNode item : plain) {
      JsonNode name = mergeKey(item, key);
      ObjectNode old =
          items.get(name) instanceof ObjectNode present
              ? present
              : JsonNodeFactory.instance.objectNode();
      items.put(name, mergeMap(old, item, type.item()));
    }
    ArrayNode merged = JsonNodeFactory.instance.arrayNode().addAll(items.values());
    return new ListOrder(key).of(merged, patch, original);
  }

  private static JsonNode mergeKey(JsonNode item, String key) {
    JsonNode value = item.get(key);
    if (value == null) {
      throw PatchFailures.unprocessable(
          "map: " + item + " does not contain declared merge key: " + key);
    }
    return value;
  }

  private static void deleteFromList(ObjectNode result, String name, JsonNode values) {
    if (!(result.get(name) instanceof ArrayNode old) || !(values instanceof ArrayNode gone)) {
      return;
    }
    Set<JsonNode> removed = new HashSet<>();
    gone.forEach(removed::add);
    ArrayNode rest = JsonNodeFactory.instance.arrayNode();
    old.forEach(
        item -> {
          if (!removed.contains(item)) {
            rest.add(item);
          }
        });
    result.set(name, rest);
  }

  private static ObjectNode withoutDirectives(ObjectNode map) {
    ObjectNode result = map.deepCopy();
    result
        .properties()
        .removeIf(
            member ->
                member.getKey().equals(DIRECTIVE)
                    || member.getKey().equals(RETAIN_KEYS)
                    || member.getKey().startsWith(DELETE_FROM)
                    || member.getKey().startsWith(ELEMENT_ORDER));
    return result;
  }

  private static ArrayNode withoutDirectives(ArrayNode list) {
    ArrayNode result = list.deepCopy();
    for (Iterator<JsonNode> items = result.iterator(); items.hasNext(); ) {
      if (items.next() instanceof ObjectNode item && item.has(DIRECTIVE) && item.size() == 1) {
        items.remove();
      }
    }
    return result;
  }
}
