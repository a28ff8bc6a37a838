package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Evaluation of the JSONPath subset used by printer columns: fields, indexes, {@code [*]}, and
 * filters of the form {@code [?(@.type=="Ready")]}.
 */
final class JsonPaths {
  private static final Pattern STEP =
      Pattern.compile(
          "\\.([A-Za-z0-9_\\-/$]+(?:\\\\\\.[A-Za-z0-9_\\-/]+)*)"
              + "|\\['([^']+)'\\]|\\[\\\"([^\\\"]+)\\\"\\]|\\[(-?\\d+|\\*)\\]"
              + "|\\[\\?\\(@\\.([A-Za-z0-9_.\\-]+)\\s*==\\s*[\\\"']([^\\\"']*)[\\\"']\\)\\]");

  private JsonPaths() {}

  /** Returns all values at a path; empty if there are none or if the path cannot be parsed. */
  static List<JsonNode> find(JsonNode object, String path) {
    String bare =
        path.startsWith("{") && path.endsWith("}") ? path.substring(1, path.length() - 1) : path;
    List<JsonNode> at = List.of(object);
    Matcher step = STEP.matcher(bare);
    int end = 0;
    while (step.find() && step.start() == end) {
      at = advance(at, step);
      end = step.end();
    }
    return end == bare.length() ? at : List.of();
  }

  private static List<JsonNode> advance(List<JsonNode> from, Matcher step) {
    List<JsonNode> next = new ArrayList<>();
    for (JsonNode node : from) {
      if (step.group(4) != null) {
        if (step.group(4).equals("*")) {
          node.forEach(next::add);
        } else {
          int index = Integer.parseInt(step.group(4));
          add(next, node.path(index < 0 ? node.size() + index : index));
        }
      } else if (step.group(5) != null) {
        for (JsonNode item : node) {
          if (item.at("/" + step.group(5).replace('.', '/')).asText().equals(step.group(6))) {
            next.add(item);
          }
        }
      } else {
        String name =
            step.group(1) != null
                ? step.group(1).replace("\\.", ".")
                : step.group(2) != null ? step.group(2) : step.group(3);
        add(next, node.path(name));
      }
    }
    return next;
  }

  private static void add(List<JsonNode> to, JsonNode node) {
    if (!node.isMissingNode() && !node.isNull()) {
      to.add(node);
    }
  }
}
