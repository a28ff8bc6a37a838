package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.protobuf.ProtobufObjects;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.store.EventType;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.Snapshot;
import io.berth.sandbox.store.StoreEvent;
import io.berth.sandbox.store.StoredObject;
import io.berth.sandbox.store.WatchCursor;
import io.berth.sandbox.table.Tables;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Serves watch requests until the timeout of the client or the server expires: one JSON event per
 * line, or one protobuf message after the other.
 */
final class Watches {
  private static final Duration BOOKMARK_INTERVAL = Duration.ofSeconds(50);
  private static final Duration SHORTEST_DEFAULT = Duration.ofMinutes(30);
  private static final int BUFFER = 32 * 1024;

  private final ObjectStore store;
  private final Tables tables;

  Watches(ObjectStore store, Tables tables) {
    this.store = store;
    this.tables = tables;
  }

  void answer(Request request, Target target) throws IOException {
    if (request.header("Upgrade").equalsIgnoreCase("websocket")) {
      // Watches are served over plain HTTP only. A client that tries a WebSocket first falls back
      // to HTTP when the response is 200.
      Answer.bytes(request, 200, "application/json", new byte[0]);
      return;
    }
    Accepted accepted = Accepted.of(request, target.type());
    ListQuery query = ListQuery.of(request, target.type(), true);
    long current = store.resourceVersion();
    if (query.version() > current) {
      throw Failures.tooLargeResourceVersion(query.version(), current);
    }
    Duration patience =
        request
            .number("timeoutSeconds")
            .map(Duration::ofSeconds)
            .orElseGet(
                () -> SHORTEST_DEFAULT.plusSeconds(ThreadLocalRandom.current().nextInt(1800)));
    boolean protobuf = accepted.form() == Accepted.Form.PROTOBUF;
    Answer.begin(request, protobuf ? ProtobufObjects.WATCH_MEDIA_TYPE : "application/json");
    if (request.exchange().getRequestHeaders().containsKey("Upgrade")) {
      // A client whose upgrade request gets an ordinary response retries without the upgrade, but
      // only after reading the response to its end.
      request.exchange().sendResponseHeaders(200, -1);
      return;
    }
    request.exchange().sendResponseHeaders(200, 0);
    try (OutputStream out =
        new BufferedOutputStream(request.exchange().getResponseBody(), BUFFER)) {
      out.flush();
      new Stream(request, target, query, accepted, out).run(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An active watch. */
  private final class Stream {
    private final ResourceType type;
    private final Target target;
    private final ListQuery query;
    private final Accepted accepted;
    private final String includeObject;
    private final OutputStream out;
    private boolean headed;

    Stream(Request request, Target target, ListQuery query, Accepted accepted, OutputStream out) {
      this.type = target.type();
      this.target = target;
      this.query = query;
      this.accepted = accepted;
      this.includeObject = request.parameter("includeObject");
      this.out = out;
    }

    void run(Duration patience) throws IOException, InterruptedException {
      long deadline = System.nanoTime() + patience.toNanos();
      boolean fromNow = query.version() == 0 || query.initialEvents().orElse(false);
      long start = fromNow ? sendCurrent() : query.version();
      Optional<WatchCursor> opened = store.watch(type.storage(), start);
      if (opened.isEmpty()) {
        tooOld(start);
        return;
      }
      WatchCursor cursor = opened.get();
      while (true) {
        Duration left = Duration.ofNanos(deadline - System.nanoTime());
        if (left.isNegative() || left.isZero()) {
          return;
        }
        boolean mayMark = query.bookmarks() && BOOKMARK_INTERVAL.compareTo(left) < 0;
        Optional<List<StoreEvent>> events = cursor.next(mayMark ? BOOKMARK_INTERVAL : left);
        if (events.isEmpty()) {
          tooOld(cursor.resourceVersion());
          return;
        }
        for (StoreEvent event : events.get()) {
          send(event);
        }
        if (events.get().isEmpty()) {
          if (query.bookmarks()) {
            bookmark(cursor.resourceVersion(), false);
          }
          if (cursor.closed()) {
            return;
          }
        }
        out.flush();
      }
    }

    private long sendCurrent() throws IOException {
      boolean wanted = query.initialEvents().orElse(true);
      Snapshot snapshot = store.list(type.storage(), target.scope());
      if (wanted) {
        for (StoredObject object : snapshot.objects()) {
          if (query.selects(object)) {
            write("ADDED", object);
          }
        }
      }
      if (query.initialEvents().orElse(false)) {
        bookmark(snapshot.resourceVersion(), true);
      }
      out.flush();
      return snapshot.resourceVersion();
    }

    private void send(StoreEvent event) throws IOException {
      StoredObject object = event.object();
      String scope = target.scope();
      if (scope != null && !object.key().namespace().equals(scope)) {
        return;
      }
      StoredObject previous = event.previous();
      boolean before = previous != null && query.selects(previous);
      boolean after = event.type() != EventType.DELETED && query.selects(object);
      if (after) {
        write(before ? "MODIFIED" : "ADDED", object);
      } else if (before && previous != null) {
        write(
            "DELETED", event.type() == EventType.DELETED ? object : lastSelected(previous, event));
      }
    }

    /**
     * Returns the last selected state of an object with the resourceVersion of the change that made
     * it no longer match the selectors.
     */
    private StoredObject lastSelected(StoredObject previous, StoreEvent event) {
      ObjectNode shown = previous.copy();
      shown
          .withObjectProperty("metadata")
          .put("resourceVersion", Long.toString(event.resourceVersion()));
      return StoredObject.unstored(type.storage(), previous.key(), shown);
    }

    private void write(String eventType, StoredObject object) throws IOException {
      if (accepted.form() == Accepted.Form.PROTOBUF) {
        out.write(ProtobufObjects.event(eventType, Views.tree(type, object)));
        return;
      }
      byte[] body =
          switch (accepted.form()) {
            case TABLE ->
                Json.write(tables.event(type, object, accepted.version(), includeObject, !headed));
            case METADATA, METADATA_LIST -> Json.write(PartialMetadata.of(type, object));
            default -> Views.bytes(type, object);
          };
      headed = true;
      frame(eventType, body);
    }

    private void frame(String eventType, ObjectNode document) throws IOException {
      if (accepted.form() == Accepted.Form.PROTOBUF) {
        out.write(ProtobufObjects.event(eventType, document));
      } else {
        frame(eventType, Json.write(document));
      }
    }

    private void frame(String eventType, byte[] body) throws IOException {
      out.write(
          ("{\"type\":\"" + eventType + "\",\"object\":").getBytes(StandardCharsets.US_ASCII));
      out.write(body);
      out.write("}\n".getBytes(StandardCharsets.US_ASCII));
    }

    private void bookmark(long resourceVersion, boolean initialEnd) throws IOException {
      ObjectNode mark = Json.object();
      ObjectNode metadata = Json.object().put("resourceVersion", Long.toString(resourceVersion));
      if (initialEnd) {
        metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
      }
      if (accepted.form() == Accepted.Form.TABLE) {
        mark = tables.bookmark(resourceVersion, accepted.version(), metadata);
      } else {
        boolean partial =
            accepted.form() == Accepted.Form.METADATA
                || accepted.form() == Accepted.Form.METADATA_LIST;
        mark.put("kind", partial ? "PartialObjectMetadata" : type.kind());
        mark.put("apiVersion", partial ? "meta.k8s.io/v1" : type.apiVersion());
        mark.set("metadata", metadata);
      }
      frame("BOOKMARK", mark);
    }

    private void tooOld(long asked) throws IOException {
      ApiException failure =
          Failures.expired(
              "too old resource version: " + asked + " (" + store.resourceVersion() + ")");
      frame("ERROR", failure.status());
      out.flush();
    }
  }
}
