package io.berth.sandbox.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The rules of LimitRanges. For containers, the default limit defaults to the maximum, and the
 * default request to the default limit or else the minimum.
 */
final class LimitRangeRules implements KindRules {
  @Override
  public void applyDefaults(ObjectNode range) {
    for (JsonNode limit : range.path("spec").path("limits")) {
      if (limit instanceof ObjectNode item && item.path("type").asText().equals("Container")) {
        ObjectNode defaults = item.withObjectProperty("default");
        ObjectNode requests = item.withObjectProperty("defaultRequest");
        fill(defaults, item.path("max"));
        fill(requests, defaults);
        fill(requests, item.path("min"));
        dropEmpty(item, "default");
        dropEmpty(item, "defaultRequest");
      }
    }
  }

  private static void fill(ObjectNode amounts, JsonNode from) {
    from.properties()
        .forEach(
            entry -> {
              if (!amounts.has(entry.getKey())) {
                amounts.set(entry.getKey(), entry.getValue());
              }
            });
  }

  private static void dropEmpty(ObjectNode item, String field) {
    if (item.path(field).isEmpty()) {
      item.remove(field);
    }
  }
}
