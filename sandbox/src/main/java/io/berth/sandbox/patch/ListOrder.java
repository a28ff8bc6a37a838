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
 * The order of a list that a strategic merge patch has changed. Items of the patch keep its order,
 * others keep the server's. Where the two meet, a server's item comes first only if both were there
 * before, in this order: so new items come before the items that the patch does not mention.
 *
 * @param key the merge key of the items; null for a list of scalars
 */
record ListOrder(@Nullable String key) {

  /**
   * Orders a list.
   *
   * @param merged its items
   * @param patch the patch's items, or its {@code $setElementOrder}
   * @param server the items before
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
