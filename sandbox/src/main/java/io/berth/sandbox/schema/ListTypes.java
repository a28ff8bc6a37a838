package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.FieldError;
import io.berth.sandbox.store.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lists with identifiable items: lists of type set and map. */
final class ListTypes {
  private ListTypes() {}

  static List<FieldError> duplicates(ArrayNode list, StructuralSchema schema, String path) {
    List<FieldError> errors = new ArrayList<>();
    boolean set = schema.listType().equals("set");
    if (!set && !schema.listType().equals("map")) {
      return errors;
    }
    Set<JsonNode> seen = new HashSet<>();
    for (int i = 0; i < list.size(); i++) {
      JsonNode identity = set ? list.get(i) : keys(list.get(i), schema);
      if (!seen.add(identity)) {
        errors.add(FieldError.duplicate(path + "[" + i + "]", GoValue.shown(identity)));
      }
    }
    return errors;
  }

  /**
   * Returns the item of the old list with the same keys as an item of the new list; null if there
   * is none or if the list is not of type map.
   */
  static @Nullable JsonNode correlated(
      ArrayNode list, int index, @Nullable JsonNode old, StructuralSchema schema) {
    if (old == null || !schema.listType().equals("map")) {
      return null;
    }
    JsonNode identity = keys(list.get(index), schema);
    for (JsonNode before : old) {
      if (keys(before, schema).equals(identity)) {
        return before;
      }
    }
    return null;
  }

  private static JsonNode keys(JsonNode item, StructuralSchema schema) {
    ObjectNode keys = Json.object();
    for (String key : schema.listMapKeys()) {
      JsonNode value = item.get(key);
      if (value != null) {
        keys.set(key, value);
      }
    }
    return keys;
  }
}
