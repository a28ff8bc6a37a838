package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;

/**
 * The table that {@code kubectl get} prints of one kind.
 *
 * @param columns the columns, of which the first is the name
 * @param cells returns the cells of an object, at this time
 */
record ApiTable(List<Column> columns, BiFunction<JsonNode, Instant, ArrayNode> cells) {
  /** The priority of a column that only {@code -o wide} prints. */
  static final int WIDE = 1;

  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  /** A column; the format of the first one is {@code name}. */
  record Column(String name, String type, int priority, String description) {}

  ApiTable {
    columns = List.copyOf(columns);
  }

  /** Returns the table of an object, or of a list. */
  ObjectNode of(ObjectNode object, Instant now) {
    ObjectNode table =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "Table")
            .put("apiVersion", "meta.k8s.io/v1");
    boolean isList = object.has("items");
    table.set("metadata", isList ? object.path("metadata").deepCopy() : table.objectNode());
    ArrayNode definitions = table.putArray("columnDefinitions");
    for (Column column : columns) {
      definitions
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.name().equals("Name") ? "name" : "")
          .put("description", column.description())
          .put("priority", column.priority());
    }
    ArrayNode rows = table.putArray("rows");
    if (isList) {
      object.path("items").forEach(item -> row(rows.addObject(), item, now));
    } else {
      row(rows.addObject(), object, now);
    }
    return table;
  }

  private void row(ObjectNode row, JsonNode object, Instant now) {
    row.set("cells", cells.apply(object, now));
    ObjectNode partial =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "PartialObjectMetadata")
            .put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", object.path("metadata").deepCopy());
    row.set("object", partial);
  }

  /** Returns the time since an instant, as kubectl prints it. */
  static String age(String since, Instant now) {
    long seconds = Math.max(0, Duration.between(Instant.parse(since), now).toSeconds());
    if (seconds < 2 * MINUTE) {
      return seconds + "s";
    }
    if (seconds < 3 * HOUR) {
      return seconds / MINUTE + "m";
    }
    return seconds < 2 * DAY ? seconds / HOUR + "h" : seconds / DAY + "d";
  }
}
