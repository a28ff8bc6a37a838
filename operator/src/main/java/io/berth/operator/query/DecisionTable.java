package io.berth.operator.query;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Decisions as the table that {@code kubectl get} prints. */
final class DecisionTable {
  private static final int WIDE = 1;
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private record Column(String name, String type, int priority, String description) {}

  private static final List<Column> COLUMNS =
      List.of(
          new Column("Name", "string", 0, "The name of the pod"),
          new Column("Result", "string", 0, "The last decision about it"),
          new Column("Node", "string", 0, "The node that was selected"),
          new Column("Policy", "string", 0, "The SchedulingPolicy"),
          new Column("Attempts", "integer", 0, "The number of decisions about the pod"),
          new Column("Age", "string", 0, "The time since the decision"),
          new Column("Message", "string", WIDE, "The reason"));

  private DecisionTable() {}

  /** Returns the table of a Decision, or of a DecisionList. */
  static ObjectNode of(ObjectNode object, Instant now) {
    ObjectNode table =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "Table")
            .put("apiVersion", "meta.k8s.io/v1");
    boolean isList = object.has("items");
    table.set("metadata", isList ? object.path("metadata").deepCopy() : table.objectNode());
    ArrayNode columns = table.putArray("columnDefinitions");
    for (Column column : COLUMNS) {
      columns
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

  private static void row(ObjectNode row, JsonNode decision, Instant now) {
    JsonNode status = decision.path("status");
    row.putArray("cells")
        .add(decision.at("/metadata/name").asText())
        .add(status.path("result").asText())
        .add(status.path("node").asText(""))
        .add(status.at("/policy/name").asText())
        .add(status.path("attempts").asInt())
        .add(age(decision.at("/metadata/creationTimestamp").asText(), now))
        .add(status.path("message").asText());
    ObjectNode partial =
        JsonNodeFactory.instance
            .objectNode()
            .put("kind", "PartialObjectMetadata")
            .put("apiVersion", "meta.k8s.io/v1");
    partial.set("metadata", decision.path("metadata").deepCopy());
    row.set("object", partial);
  }

  private static String age(String since, Instant now) {
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
