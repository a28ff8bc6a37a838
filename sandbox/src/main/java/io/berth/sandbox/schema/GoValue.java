package io.berth.sandbox.schema;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Formatting of values as in the API server's messages. */
final class GoValue {
  private GoValue() {}

  /**
   * Returns a value for {@code FieldError}, which quotes strings and prints all other values
   * unchanged.
   */
  static Object shown(JsonNode value) {
    return value.isTextual() ? value.textValue() : printed(value);
  }

  private static Bare printed(JsonNode value) {
    return new Bare(text(value));
  }

  private static String text(JsonNode value) {
    if (value.isTextual()) {
      return value.toString();
    }
    if (value.isArray()) {
      List<String> items = new ArrayList<>();
      value.forEach(item -> items.add(text(item)));
      return "[]interface {}{" + String.join(", ", items) + "}";
    }
    if (value.isObject()) {
      TreeMap<String, String> members = new TreeMap<>();
      value.properties().forEach(member -> members.put(member.getKey(), text(member.getValue())));
      List<String> pairs = new ArrayList<>();
      members.forEach((name, member) -> pairs.add("\"" + name + "\":" + member));
      return "map[string]interface {}{" + String.join(", ", pairs) + "}";
    }
    return value.asText();
  }

  /** Text that is printed without quotes. */
  private record Bare(String text) {
    @Override
    public String toString() {
      return text;
    }
  }
}
