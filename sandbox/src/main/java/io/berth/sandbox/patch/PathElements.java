package io.berth.sandbox.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.berth.sandbox.store.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The path elements of managed fields in their serialized form. */
final class PathElements {
  private PathElements() {}

  static String field(String name) {
    return "f:" + name;
  }

  /** Returns the path element of a list item; null if the item has none of its keys. */
  static @Nullable String item(MergeType list, JsonNode item) {
    if (list.items() == MergeType.Items.SET) {
      return "v:" + item;
    }
    StringBuilder element = new StringBuilder("k:{");
    int empty = element.length();
    for (String key : inOrder(list.keys())) {
      JsonNode value = item.get(key);
      if (value == null) {
        value = list.keyDefault(key);
      }
      if (value == null) {
        continue;
      }
      if (element.length() > empty) {
        element.append(',');
      }
      element.append('"').append(key).append("\":");
      append(element, value);
    }
    return element.length() == empty ? null : element.append('}').toString();
  }

  private static Collection<String> inOrder(List<String> keys) {
    return keys.size() == 1 ? keys : new TreeSet<>(keys);
  }

  /** Appends a value as JSON. Nearly all keys are plain ASCII text, which needs no escaping. */
  private static void append(StringBuilder element, JsonNode value) {
    if (value.isTextual() && isPlain(value.textValue())) {
      element.append('"').append(value.textValue()).append('"');
    } else {
      element.append(value);
    }
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < ' ' || c == '"' || c == '\\' || c > '~') {
        return false;
      }
    }
    return true;
  }

  /** Returns the element as error messages show it. */
  static String words(String element) {
    String rest = element.substring(2);
    return switch (element.charAt(0)) {
      case 'f' -> "." + rest;
      case 'v' -> "[=" + rest + "]";
      case 'k' -> keyWords(rest);
      default -> "[" + rest + "]";
    };
  }

  private static String keyWords(String json) {
    try {
      List<String> pairs = new ArrayList<>();
      Json.MAPPER
          .readTree(json)
          .properties()
          .forEach(pair -> pairs.add(pair.getKey() + "=" + pair.getValue()));
      return "[" + String.join(",", pairs) + "]";
    } catch (JsonProcessingException e) {
      return "[" + json + "]";
    }
  }
}
