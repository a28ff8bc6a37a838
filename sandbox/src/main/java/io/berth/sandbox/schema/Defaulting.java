package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Application of a schema's defaults to an object, in place. */
final class Defaulting {
  private Defaulting() {}

  static void apply(JsonNode value, @Nullable StructuralSchema schema) {
    if (schema == null) {
      return;
    }
    if (value instanceof ObjectNode map) {
      for (Map.Entry<String, StructuralSchema> property : schema.properties.entrySet()) {
        JsonNode fallback = property.getValue().defaultValue;
        JsonNode present = map.get(property.getKey());
        boolean absent = present == null || (present.isNull() && !property.getValue().nullable);
        if (fallback != null && absent) {
          map.set(property.getKey(), fallback.deepCopy());
        }
      }
      for (Map.Entry<String, JsonNode> member : map.properties()) {
        apply(member.getValue(), schema.member(member.getKey()));
      }
    } else if (value instanceof ArrayNode list) {
      list.forEach(item -> apply(item, schema.items));
    }
  }
}
