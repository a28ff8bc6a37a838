package io.berth.sandbox.patch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.store.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The steps of a path in managed fields, in their written form. */
final class PathElements {
  private PathElements() {}

  static String field(String name) {
    return "f:" + name;
  }

  /** The element of a list's item; null for an item that lacks its keys. */
  static @Nullable String item(MergeType list, JsonNode item) {
    if (list.items() == MergeType.Items.SET) {
      return "v:" + item;
    }
    ObjectNode keys = JsonNodeFactory.instance.objectNode();
    for (String key : new TreeSet<>(list.keys())) {
      JsonNode value = item.get(key);
      if (value == null) {
        value = list.keyDefault(key);
      }
      if (value == null) {
        continue;
      }
      keys.set(key, value);
    }
    return keys.isEmpty() ? null : "k:" + keys;
  }

  /** The element in the words of an error. */
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
