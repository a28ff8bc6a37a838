package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Removal of fields that a schema does not declare. */
final class Pruning {
  private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");

  private final List<String> removed = new ArrayList<>();

  static List<String> prune(ObjectNode object, StructuralSchema schema) {
    Pruning pruning = new Pruning();
    pruning.pruneMap(object, schema, "", true);
    return pruning.removed;
  }

  private void pruneValue(JsonNode value, @Nullable StructuralSchema schema, String path) {
    if (schema == null) {
      return;
    }
    if (value instanceof ObjectNode map) {
      pruneMap(map, schema, path, schema.embedded);
    } else if (value instanceof ArrayNode list) {
      for (int i = 0; i < list.size(); i++) {
        pruneValue(list.get(i), schema.items, path + "[" + i + "]");
      }
    }
  }

  private void pruneMap(ObjectNode map, StructuralSchema schema, String path, boolean wholeObject) {
    for (Iterator<Map.Entry<String, JsonNode>> members = map.properties().iterator();
        members.hasNext(); ) {
      Map.Entry<String, JsonNode> member = members.next();
      String name = member.getKey();
      if (wholeObject && OF_EVERY_OBJECT.contains(name)) {
        continue;
      }
      String at = path.isEmpty() ? name : path + "." + name;
      StructuralSchema declared = schema.member(name);
      if (declared != null) {
        pruneValue(member.getValue(), declared, at);
      } else if (!schema.preserveUnknown && !schema.additionalAllowed) {
        removed.add(at);
        members.remove();
      }
    }
  }
}
