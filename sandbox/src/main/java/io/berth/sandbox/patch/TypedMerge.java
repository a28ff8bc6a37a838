package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Merges an applied configuration into the live object. In merged lists, items of the configuration
 * take its order, and other items keep the live order.
 */
final class TypedMerge {
  private TypedMerge() {}

  static JsonNode merge(@Nullable JsonNode live, JsonNode config, MergeType type) {
    if (live == null || live.getNodeType() != config.getNodeType()) {
      return config;
    }
    if (config instanceof ObjectNode map && !type.atomic()) {
      ObjectNode merged = JsonNodeFactory.instance.objectNode();
      merged.setAll((ObjectNode) live);
      for (Map.Entry<String, JsonNode> member : map.properties()) {
        merged.set(
            member.getKey(),
            merge(live.get(member.getKey()), member.getValue(), type.member(member.getKey())));
      }
      return merged;
    }
    if (config instanceof ArrayNode list && type.items() != MergeType.Items.ATOMIC) {
      return mergeLists((ArrayNode) live, list, type);
    }
    return config;
  }

  private static ArrayNode mergeLists(ArrayNode live, ArrayNode config, MergeType type) {
    Map<String, JsonNode> ours = Comparison.index(live, type);
    Map<String, JsonNode> theirs = Comparison.index(config, type);
    if (theirs.size() != config.size()) {
      throw PatchFailures.badRequest(
          "failed to merge config: duplicate entries for key in " + config);
    }
    List<String> liveOrder = new ArrayList<>(ours.keySet());
    List<String> configOrder = new ArrayList<>(theirs.keySet());
    Set<String> done = new HashSet<>();
    ArrayNode merged = JsonNodeFactory.instance.arrayNode();
    int next = 0;
    for (String element : liveOrder) {
      if (!theirs.containsKey(element)) {
        merged.add(ours.get(element));
        continue;
      }
      // Place the configuration's items, in its order, up to and including this one, unless it has
      // already been placed.
      while (!done.contains(element) && next < configOrder.size()) {
        String placed = configOrder.get(next++);
        done.add(placed);
        merged.add(place(placed, ours, theirs, type));
      }
    }
    while (next < configOrder.size()) {
      merged.add(place(configOrder.get(next++), ours, theirs, type));
    }
    return merged;
  }

  private static @Nullable JsonNode place(
      String element, Map<String, JsonNode> ours, Map<String, JsonNode> theirs, MergeType type) {
    JsonNode config = theirs.get(element);
    return config == null ? null : merge(ours.get(element), config, type.item());
  }
}
