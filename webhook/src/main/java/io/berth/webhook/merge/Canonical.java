package io.berth.webhook.merge;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Converts scheduling terms to a canonical text, which is the same for all equivalent forms of a
 * term.
 *
 * <p>The order and duplicates of list items are ignored. Null and an empty list mean that a field
 * is absent, but an empty object does not (an empty selector selects everything, an absent one
 * nothing).
 */
final class Canonical {
  private Canonical() {}

  static String of(JsonNode node) {
    StringBuilder text = new StringBuilder();
    write(node, text);
    return text.toString();
  }

  /**
   * Returns the text of a toleration. Empty fields count as absent, and an absent operator means
   * Equal.
   */
  static String ofToleration(JsonNode toleration) {
    StringBuilder text = new StringBuilder();
    for (String field : List.of("key", "operator", "value", "effect", "tolerationSeconds")) {
      String value = toleration.path(field).asText("");
      quote(field.equals("operator") && value.isEmpty() ? "Equal" : value, text);
    }
    return text.toString();
  }

  private static void write(JsonNode node, StringBuilder text) {
    if (node.isObject()) {
      TreeMap<String, JsonNode> fields = new TreeMap<>();
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        if (!isAbsent(field.getValue())) {
          fields.put(field.getKey(), field.getValue());
        }
      }
      text.append('{');
      for (Map.Entry<String, JsonNode> field : fields.entrySet()) {
        quote(field.getKey(), text);
        text.append(':');
        write(field.getValue(), text);
        text.append(',');
      }
      text.append('}');
    } else if (node.isArray()) {
      TreeSet<String> items = new TreeSet<>();
      for (JsonNode item : node) {
        items.add(of(item));
      }
      text.append('[');
      items.forEach(item -> text.append(item).append(','));
      text.append(']');
    } else if (node.isTextual()) {
      quote(node.textValue(), text);
    } else {
      text.append(node.asText());
    }
  }

  private static void quote(String value, StringBuilder text) {
    text.append('"').append(value.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isNull() || node.isMissingNode() || (node.isArray() && node.isEmpty());
  }
}
