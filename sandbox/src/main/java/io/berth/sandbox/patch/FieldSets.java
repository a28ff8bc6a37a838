package io.berth.sandbox.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Extraction of the paths of a value, and removal of paths from a value. */
final class FieldSets {
  private FieldSets() {}

  /** Returns the paths that an apply of {@code value} claims. */
  static FieldSet of(JsonNode value, MergeType type) {
    FieldSet set = new FieldSet();
    collect(value, type, new ArrayList<>(), set);
    return set;
  }

  private static void collect(JsonNode value, MergeType type, List<String> path, FieldSet set) {
    if (value instanceof ObjectNode map && !type.atomic()) {
      if (map.isEmpty() && !path.isEmpty()) {
        set.insert(path);
      }
      for (Map.Entry<String, JsonNode> member : map.properties()) {
        path.add(PathElements.field(member.getKey()));
        collect(member.getValue(), type.member(member.getKey()), path, set);
        path.removeLast();
      }
    } else if (value instanceof ArrayNode list && type.items() != MergeType.Items.ATOMIC) {
      for (JsonNode item : list) {
        String element = PathElements.item(type, item);
        if (element != null) {
          path.add(element);
          collect(item, type.item(), path, set);
          set.insert(path);
          path.removeLast();
        }
      }
    } else {
      set.insert(path);
    }
  }

  /** Returns the value without the members of a set. Containers that become empty are kept. */
  static @Nullable JsonNode remove(JsonNode value, FieldSet gone, MergeType type) {
    if (gone.isEmpty()) {
      return value;
    }
    if (value instanceof ObjectNode map && !type.atomic()) {
      ObjectNode rest = JsonNodeFactory.instance.objectNode();
      for (Map.Entry<String, JsonNode> member : map.properties()) {
        String element = PathElements.field(member.getKey());
        if (!gone.has(element)) {
          JsonNode kept =
              remove(member.getValue(), gone.below(element), type.member(member.getKey()));
          if (kept != null) {
            rest.set(member.getKey(), kept);
          }
        }
      }
      return rest;
    }
    if (value instanceof ArrayNode list && type.items() != MergeType.Items.ATOMIC) {
      ArrayNode rest = JsonNodeFactory.instance.arrayNode();
      for (JsonNode item : list) {
        String element = PathElements.item(type, item);
        if (element == null) {
          rest.add(item);
        } else if (!gone.has(element)) {
          JsonNode kept = remove(item, gone.below(element), type.item());
          if (kept != null) {
            rest.add(kept);
          }
        }
      }
      return rest;
    }
    return value;
  }
}
