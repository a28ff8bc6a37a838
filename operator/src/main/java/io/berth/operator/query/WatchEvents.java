package io.berth.operator.query;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;

/** The events of one watch as bytes: one line of JSON each, with an object or a table. */
final class WatchEvents {
  /** The annotation of the bookmark after the objects that existed. */
  static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

  private final QueryResource resource;
  private final Optional<TableFormat> table;
  private final InstantSource clock;
  private boolean first = true;

  /**
   * @param table the format of tables; empty if events have objects
   */
  WatchEvents(QueryResource resource, Optional<TableFormat> table, InstantSource clock) {
    this.resource = resource;
    this.table = table;
    this.clock = clock;
  }

  /** Returns an event about an object. */
  byte[] event(String type, ObjectNode object) {
    return line(
        type,
        table
            .map(
                format ->
                    ApiTables.of(resource).ofEvent(object, clock.instant(), format, isFirst()))
            .orElse(object));
  }

  /**
   * Returns a bookmark: the version from which a client can go on.
   *
   * @param initialEnd whether it comes after the objects that existed
   */
  byte[] bookmark(String version, boolean initialEnd) {
    ObjectNode bookmark = QueryApi.object(resource.kind());
    ObjectNode metadata = bookmark.putObject("metadata").put("resourceVersion", version);
    if (initialEnd) {
      metadata.putObject("annotations").put(INITIAL_EVENTS_END, "true");
    }
    return line(
        "BOOKMARK",
        table
            .map(format -> ApiTables.of(resource).ofBookmark(bookmark, format, isFirst()))
            .orElse(bookmark));
  }

  /** Returns the event that ends a watch because of a failure. */
  byte[] error(ApiException failure) {
    return line("ERROR", ApiStatus.status(failure.code(), String.valueOf(failure.getMessage())));
  }

  private boolean isFirst() {
    boolean was = first;
    first = false;
    return was;
  }

  private static byte[] line(String type, ObjectNode object) {
    ObjectNode event = JsonNodeFactory.instance.objectNode().put("type", type);
    event.set("object", object);
    return (event + "\n").getBytes(StandardCharsets.UTF_8);
  }
}
