package io.berth.sandbox.table;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The table format of events, which reads core/v1 Events. */
final class EventTable {
  private EventTable() {}

  static TableFormat format() {
    return new TableFormat(
        List.of(
            Column.text("Last Seen"),
            Column.text("Type"),
            Column.text("Reason"),
            Column.text("Object"),
            Column.wide("Subobject"),
            Column.wide("Source"),
            Column.text("Message"),
            Column.wide("First Seen"),
            Column.wide("Count"),
            new Column("Name", "string", "name", "Name", 1)),
        EventTable::cells);
  }

  private static List<Object> cells(JsonNode event, Instant now) {
    String first =
        Ages.since(event.path("firstTimestamp").asText(event.path("eventTime").asText()), now);
    String last =
        event.has("lastTimestamp") ? Ages.since(event.path("lastTimestamp").asText(), now) : first;
    int count = event.path("count").asInt(1);
    JsonNode series = event.path("series");
    if (series.isObject()) {
      last = Ages.since(series.path("lastObservedTime").asText(), now);
      count = series.path("count").asInt();
    }
    JsonNode object = event.path("involvedObject");
    return List.of(
        last,
        event.path("type").asText(),
        event.path("reason").asText(),
        object.path("kind").asText().toLowerCase(Locale.ROOT) + "/" + object.path("name").asText(),
        object.path("fieldPath").asText(),
        source(event),
        event.path("message").asText().strip(),
        first,
        Integer.toString(count),
        Cells.name(event));
  }

  private static String source(JsonNode event) {
    String component =
        event.path("source").path("component").asText(event.path("reportingComponent").asText());
    String host =
        event.path("source").path("host").asText(event.path("reportingInstance").asText());
    return host.isEmpty() ? component : component + ", " + host;
  }
}
