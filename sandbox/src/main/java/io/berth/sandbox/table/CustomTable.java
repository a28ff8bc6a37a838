package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The table format of a custom resource, from additionalPrinterColumns. */
final class CustomTable {
  private CustomTable() {}

  static TableFormat of(JsonNode version) {
    List<Column> columns = new ArrayList<>(List.of(Column.named()));
    List<String> paths = new ArrayList<>();
    List<String> types = new ArrayList<>();
    for (JsonNode column : version.path("additionalPrinterColumns")) {
      columns.add(
          new Column(
              column.path("name").asText(),
              column.path("type").asText(),
              column.path("format").asText(),
              column.path("description").asText(),
              column.path("priority").asInt()));
      paths.add(column.path("jsonPath").asText());
      types.add(column.path("type").asText());
    }
    if (paths.isEmpty()) {
      return PlainTables.nameAndAge();
    }
    return new TableFormat(
        List.copyOf(columns),
        (object, now) -> {
          List<Object> cells = new ArrayList<>(List.of(Cells.name(object)));
          for (int i = 0; i < paths.size(); i++) {
            cells.add(cell(JsonPaths.find(object, paths.get(i)), types.get(i), now));
          }
          return cells;
        });
  }

  private static Object cell(List<JsonNode> found, String type, Instant now) {
    if (found.isEmpty()) {
      return "";
    }
    JsonNode value = found.getFirst();
    return switch (type) {
      case "date" -> Ages.since(value.asText(), now);
      case "integer" -> value.isNumber() ? value.asLong() : "";
      case "number" -> value.isNumber() ? value.asDouble() : "";
      case "boolean" -> value.isBoolean() ? value.asBoolean() : "";
      default ->
          found.size() == 1
              ? text(value)
              : String.join(",", found.stream().map(CustomTable::text).toList());
    };
  }

  private static String text(JsonNode value) {
    return value.isContainerNode() ? value.toString() : value.asText();
  }
}
