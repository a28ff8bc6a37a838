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

  private static final ObjectNode NOTHING = JsonNodeFactory.instance.objectNode();
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  /** A column; the format of the first one is {@code name}. */
  record Column(String name, String type, int priority, String description) {}

  ApiTable {
    columns = List.copyOf(columns);
  }

  /** Returns the table of an object, or of a list. */
  ObjectNode of(ObjectNode object, Instant now, TableFormat format) {
    boolean isList = object.has("items");
    ObjectNode table = empty(isList ? object.path("metadata") : NOTHING);
    table.set("columnDefinitions", definitions());
    ArrayNode rows = table.putArray("rows");
    if (isList) {
      object.path("items").forEach(item -> row(rows.addObject(), item, now, format));
    } else {
      row(rows.addObject(), object, now, format);
    }
    return table;
  }

  /**
   * Returns the table of an object in an event. As in tables of API servers, only the first one of
   * a stream defines the columns.
   */
  ObjectNode ofEvent(ObjectNode object, Instant now, TableFormat format, boolean first) {
    ObjectNode table = empty(NOTHING);
    defineIf(first, table);
    row(table.putArray("rows").addObject(), object, now, format);
    return table;
  }

  /** Returns the table of a bookmark: its row has the metadata, and empty cells. */
  ObjectNode ofBookmark(ObjectNode bookmark, TableFormat format, boolean first) {
    ObjectNode table = empty(bookmark.path("metadata"));
    defineIf(first, table);
    ObjectNode row = table.putArray("rows").addObject();
    ArrayNode blanks = row.putArray("cells");
    columns.forEach(column -> blanks.add(column.type().equals("integer") ? "0" : ""));
    format.write(row, bookmark);
    return table;
  }

  private void defineIf(boolean first, ObjectNode table) {
    if (first) {
      table.set("columnDefinitions", definitions());
    } else {
      table.putNull("columnDefinitions");
    }
  }

  private static ObjectNode empty(JsonNode metadata) {
    ObjectNode table =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "Table")
            .put("apiVersion", "meta.k8s.io/v1");
    table.set("metadata", metadata.deepCopy());
    return table;
  }

  private ArrayNode definitions() {
    ArrayNode definitions = JsonNodeFactory.instance.arrayNode();
    for (Column column : columns) {
      definitions
          .addObject()
          .put("name", column.name())
          .put("type", column.type())
          .put("format", column.name().equals("Name") ? "name" : "")
          .put("description", column.description())
          .put("priority", column.priority());
    }
    return definitions;
  }

  private void row(ObjectNode row, JsonNode object, Instant now, TableFormat format) {
    row.set("cells", cells.apply(object, now));
    format.write(row, object);
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
