package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The order of a list after a strategic merge patch. Items in the patch keep the order of the
 * patch, and other items keep the server's order. When the two are merged, a server item precedes a
 * patch item only if both existed before in that order. New items therefore come before the items
 * that the patch does not mention.
 *
 * @param key the merge key of the items; null for a list of scalars
 */
record ListOrder(@Nullable String key) {

  /**
   * Returns a list in the merged order.
   *
   * @param merged the items of the list
   * @param patch the items of the patch, or its {@code $setElementOrder}
   * @param server the items before the patch
   */
  ArrayNode of(JsonNode merged, JsonNode patch, JsonNode server) {
    Map<JsonNode, Integer> wanted = ranks(patch);
    Map<JsonNode, Integer> before = ranks(server);
    List<JsonNode> patched = new ArrayList<>();
    List<JsonNode> others = new ArrayList<>();
    merged.forEach(item -> (wanted.containsKey(id(item)) ? patched : others).add(item));
    patched.sort(Comparator.comparing(item -> wanted.getOrDefault(id(item), 0)));
    ArrayNode ordered = JsonNodeFactory.instance.arrayNode();
    int next = 0;
    for (JsonNode other : others) {
      while (next < patched.size() && !isBefore(other, patched.get(next), before)) {
        ordered.add(patched.get(next++));
      }
      ordered.add(other);
    }
    ordered.addAll(patched.subList(next, patched.size()));
    return ordered;
  }

  private boolean isBefore(JsonNode left, JsonNode right, Map<JsonNode, Integer> ranks) {
    Integer first = ranks.get(id(left));
    Integer second = ranks.get(id(right));
    return first != null && second != null && first < second;
  }

  private Map<JsonNode, Integer> ranks(JsonNode items) {
    Map<JsonNode, Integer> ranks = new HashMap<>();
    items.forEach(item -> ranks.putIfAbsent(id(item), ranks.size()));
    return ranks;
  }

  private JsonNode id(JsonNode item) {
    return key == null || !item.isObject() ? item : item.path(key);
  }
}
