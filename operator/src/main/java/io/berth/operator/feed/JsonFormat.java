package io.berth.operator.feed;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DatabindException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ListMeta;
import io.fabric8.kubernetes.api.model.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The JSON encoding. A frame of a watch response is a line. */
final class JsonFormat<T extends HasMetadata> implements ObjectFormat<T> {

  private static final JsonFactory JSON = new JsonFactory();

  /**
   * The first bytes of an event as the API server writes it, by type. Its object is the rest of the
   * line, except for the last brace, and does not have to be parsed to find its end.
   */
  private static final Map<String, byte[]> STARTS =
      Stream.of("ADDED", "MODIFIED", "DELETED")
          .collect(
              Collectors.toUnmodifiableMap(
                  Function.identity(),
                  type ->
                      "{\"type\":\"%s\",\"object\":"
                          .formatted(type)
                          .getBytes(StandardCharsets.UTF_8)));

  private final Class<T> type;

  JsonFormat(Class<T> type) {
    this.type = type;
  }

  /** A range of bytes with a JSON value. */
  private static final class Slice {
    private final byte[] json;
    private final int from;
    private final int to;

    Slice(byte[] json, int from, int to) {
      this.json = json;
      this.from = from;
      this.to = to;
    }

    /**
     * @throws IOException when this is empty, or not JSON
     * @throws RuntimeException when this is JSON, but not a value of the type
     */
    <V> V parse(Class<V> type) throws IOException {
      if (from == to) {
        throw new IOException("a value is missing");
      }
      V value;
      try {
        value = ObjectJson.of(type).readValue(json, from, to - from, type);
      } catch (DatabindException e) {
        if (e.getCause() instanceof StreamReadException notJson) {
          throw notJson;
        }
        throw new UncheckedIOException(e);
      }
      if (value == null) {
        throw new IllegalArgumentException("the value is null");
      }
      return value;
    }
  }

  @Override
  public Page<T> page(byte[] json) throws IOException {
    ListMeta metadata = new ListMeta();
    List<T> items = new ArrayList<>();
    List<Unreadable<T>> unreadable = new ArrayList<>();
    List<String> unnamed = new ArrayList<>();
    try (JsonParser parser = JSON.createParser(json)) {
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        JsonToken value = parser.nextToken();
        if (field.equals("metadata")) {
          metadata = listMeta(slice(parser, json));
        } else if (field.equals("items") && value == JsonToken.START_ARRAY) {
          while (parser.nextToken() == JsonToken.START_OBJECT) {
            Slice item = slice(parser, json);
            try {
              items.add(object(item));
            } catch (RuntimeException e) {
              stub(item)
                  .ifPresentOrElse(
                      stub -> unreadable.add(new Unreadable<>(stub, ResponseWait.reason(e))),
                      () -> unnamed.add(ResponseWait.reason(e)));
            }
          }
        } else {
          parser.skipChildren();
        }
      }
    }
    if (metadata.getResourceVersion() == null) {
      throw new IOException(NO_VERSION);
    }
    String continuation = metadata.getContinue() == null ? "" : metadata.getContinue();
    return new Page<>(metadata.getResourceVersion(), continuation, items, unreadable, unnamed);
  }

  private static ListMeta listMeta(Slice metadata) throws IOException {
    try {
      return metadata.parse(ListMeta.class);
    } catch (RuntimeException e) {
      throw new IOException("the response is not a list: metadata: " + ResponseWait.reason(e), e);
    }
  }

  @Override
  public Event<T> event(byte[] line) throws IOException {
    for (var start : STARTS.entrySet()) {
      if (startsWith(line, start.getValue()) && line[line.length - 1] == '}') {
        return event(start.getKey(), new Slice(line, start.getValue().length, line.length - 1));
      }
    }
    String kind = "";
    Slice object = new Slice(line, 0, 0);
    try (JsonParser parser = JSON.createParser(line)) {
      expect(parser.nextToken(), JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String field = parser.currentName();
        parser.nextToken();
        if (field.equals("type")) {
          kind = parser.getText();
        } else if (field.equals("object")) {
          object = slice(parser, line);
        } else {
          parser.skipChildren();
        }
      }
    }
    return event(kind, object);
  }

  private Event<T> event(String kind, Slice object) throws IOException {
    return switch (kind) {
      case "ADDED", "MODIFIED" -> put(object);
      case "DELETED" -> gone(object);
      case "BOOKMARK" -> new Bookmark<>(object(object).getMetadata().getResourceVersion());
      case "ERROR" -> {
        Status status = object.parse(Status.class);
        int code = status.getCode() == null ? 0 : status.getCode();
        yield new Failed<>(code, String.valueOf(status.getMessage()));
      }
      default -> throw new IOException(UNKNOWN_EVENT.formatted(kind));
    };
  }

  @Override
  public String message(byte[] status) throws IOException {
    Status read = ObjectJson.of(Status.class).readValue(status, Status.class);
    return read == null || read.getMessage() == null ? "" : read.getMessage();
  }

  @Override
  public WatchFrames frames() {
    return new WatchFrames.Lines();
  }

  private Event<T> gone(Slice json) throws IOException {
    try {
      return new Gone<>(object(json));
    } catch (RuntimeException e) {
      return new Gone<>(stub(json).orElseThrow(() -> e));
    }
  }

  private Event<T> put(Slice json) throws IOException {
    try {
      return new Put<>(object(json));
    } catch (RuntimeException e) {
      Optional<T> stub = stub(json);
      if (stub.isEmpty()) {
        throw e;
      }
      return new Unreadable<>(stub.get(), ResponseWait.reason(e));
    }
  }

  /** Returns an object with what identifies it alone; empty if that cannot be decoded either. */
  private Optional<T> stub(Slice json) throws IOException {
    ObjectNode metadata = JsonNodeFactory.instance.objectNode();
    JsonNode given = json.parse(JsonNode.class).path("metadata");
    for (String field : List.of("name", "namespace", "uid", "resourceVersion")) {
      if (given.path(field).isTextual()) {
        metadata.set(field, given.path(field));
      }
    }
    if (!metadata.has("name") || !metadata.has("resourceVersion")) {
      return Optional.empty();
    }
    ObjectNode stub = JsonNodeFactory.instance.objectNode();
    stub.set("metadata", metadata);
    return Optional.of(ObjectJson.of(type).treeToValue(stub, type));
  }

  private T object(Slice json) throws IOException {
    T object = json.parse(type);
    if (object.getMetadata() == null) {
      throw new IllegalArgumentException(NO_METADATA);
    }
    return object;
  }

  private static Slice slice(JsonParser parser, byte[] json) throws IOException {
    int from = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    parser.finishToken();
    return new Slice(json, from, (int) parser.currentLocation().getByteOffset());
  }

  private static boolean startsWith(byte[] line, byte[] start) {
    return line.length > start.length
        && Arrays.equals(line, 0, start.length, start, 0, start.length);
  }

  private static void expect(JsonToken got, JsonToken wanted) throws IOException {
    if (got != wanted) {
      throw new IOException("the response is not a JSON object");
    }
  }
}
