package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.protobuf.ProtobufObjects;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectStore;
import io.berth.sandbox.store.Snapshot;
import io.berth.sandbox.store.StoredObject;
import io.berth.sandbox.table.Tables;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Serves list requests: the current state, an earlier state, or a paginated list of one state. */
final class Lists {
  private static final int BUFFER = 64 * 1024;

  private final ObjectStore store;
  private final Tables tables;

  Lists(ObjectStore store, Tables tables) {
    this.store = store;
    this.tables = tables;
  }

  Tables tables() {
    return tables;
  }

  /** A page of a list. */
  private record Part(
      List<StoredObject> objects,
      long resourceVersion,
      ListQuery.@Nullable Continue next,
      long remaining) {}

  void answer(Request request, Target target) throws IOException {
    Accepted accepted = Accepted.of(request, target.type());
    ListQuery query = ListQuery.of(request, target.type(), false);
    Part part = cut(query, select(query, snapshot(target, query)));
    ObjectNode metadata =
        Json.object().put("resourceVersion", Long.toString(part.resourceVersion()));
    if (part.next() != null) {
      metadata.put("continue", part.next().encode());
      if (query.selectsEverything()) {
        metadata.put("remainingItemCount", part.remaining());
      }
    }
    switch (accepted.form()) {
      case TABLE ->
          Answer.json(
              request,
              200,
              tables.list(
                  target.type(),
                  part.objects(),
                  metadata,
                  accepted.version(),
                  request.parameter("includeObject")));
      case METADATA, METADATA_LIST ->
          Answer.json(request, 200, PartialMetadata.list(target.type(), part.objects(), metadata));
      case PROTOBUF ->
          Answer.protobuf(
              request,
              200,
              ProtobufObjects.list(
                  target.type().apiVersion(),
                  target.type().listKind(),
                  metadata,
                  target.type().kind(),
                  part.objects().stream()
                      .map(object -> Views.tree(target.type(), object))
                      .toList()));
      default -> write(request, target, part, metadata);
    }
  }

  /** Returns the snapshot that the query selects from. */
  private Snapshot snapshot(Target target, ListQuery query) {
    if (query.from().isPresent()) {
      long version = query.from().get().resourceVersion();
      return store
          .listAt(target.type().storage(), target.scope(), version)
          .orElseThrow(
              () ->
                  Failures.expired(
                      "The provided continue parameter is too old to display a consistent list"
                          + " result. You can start a new list without the continue parameter."));
    }
    if (query.match().equals("Exact")) {
      checkNotFromFuture(query);
      return store
          .listAt(target.type().storage(), target.scope(), query.version())
          .orElseThrow(
              () -> Failures.expired("The resourceVersion for the provided list is too old."));
    }
    checkNotFromFuture(query);
    Optional<String> indexed = query.fields().indexedField(target.type().storage());
    return indexed.isPresent()
        ? store.listByField(
            target.type().storage(),
            indexed.get(),
            query.fields().requires(indexed.get()).orElse(""),
            target.scope())
        : store.list(target.type().storage(), target.scope());
  }

  private void checkNotFromFuture(ListQuery query) {
    long current = store.resourceVersion();
    if (query.version() > current) {
      throw Failures.tooLargeResourceVersion(query.version(), current);
    }
  }

  private static Snapshot select(ListQuery query, Snapshot snapshot) {
    if (query.selectsEverything()) {
      return snapshot;
    }
    List<StoredObject> selected = new ArrayList<>();
    for (StoredObject object : snapshot.objects()) {
      if (query.selects(object)) {
        selected.add(object);
      }
    }
    return new Snapshot(selected, snapshot.resourceVersion());
  }

  private static Part cut(ListQuery query, Snapshot selected) {
    List<StoredObject> objects = selected.objects();
    int start = 0;
    if (query.from().isPresent()) {
      while (start < objects.size()
          && objects.get(start).key().compareTo(query.from().get().after()) <= 0) {
        start++;
      }
    }
    int end = query.limit() > 0 ? Math.min(objects.size(), start + query.limit()) : objects.size();
    ListQuery.Continue next =
        end < objects.size()
            ? new ListQuery.Continue(selected.resourceVersion(), objects.get(end - 1).key())
            : null;
    return new Part(
        objects.subList(start, end), selected.resourceVersion(), next, objects.size() - end);
  }

  private static void write(Request request, Target target, Part part, ObjectNode metadata)
      throws IOException {
    ObjectNode head =
        Json.object()
            .put("kind", target.type().listKind())
            .put("apiVersion", target.type().apiVersion());
    head.set("metadata", metadata);
    byte[] opening = Json.write(head);
    byte[] start = ",\"items\":[".getBytes(StandardCharsets.US_ASCII);
    byte[] end = "]}\n".getBytes(StandardCharsets.US_ASCII);
    List<byte[]> items = new ArrayList<>(part.objects().size());
    long length =
        opening.length - 1L + start.length + end.length + Math.max(0, part.objects().size() - 1);
    for (StoredObject object : part.objects()) {
      byte[] item = Views.bytes(target.type(), object);
      items.add(item);
      length += item.length;
    }
    Answer.begin(request, "application/json");
    request.exchange().sendResponseHeaders(200, length);
    try (OutputStream out =
        new BufferedOutputStream(request.exchange().getResponseBody(), BUFFER)) {
      out.write(opening, 0, opening.length - 1);
      out.write(start);
      for (int i = 0; i < items.size(); i++) {
        if (i > 0) {
          out.write(',');
        }
        out.write(items.get(i));
      }
      out.write(end);
    }
  }
}
