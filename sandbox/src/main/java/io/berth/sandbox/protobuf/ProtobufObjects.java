package io.berth.sandbox.protobuf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.CodedOutputStream;
import io.berth.sandbox.release.ApiField;
import io.berth.sandbox.release.ApiField.Shape;
import io.berth.sandbox.release.ApiType;
import io.berth.sandbox.release.ApiTypes;
import io.berth.sandbox.store.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Converts objects to media type {@code application/vnd.kubernetes.protobuf}, in which Go clients
 * read built-in kinds. As in Go, a field that is not a pointer is written even if it is zero.
 */
public final class ProtobufObjects {
  /** The media type of a watch: messages that are preceded by their length in four bytes. */
  public static final String WATCH_MEDIA_TYPE = ProtobufBodies.MEDIA_TYPE + ";stream=watch";

  private static final JsonNode NOTHING = JsonNodeFactory.instance.missingNode();

  private ProtobufObjects() {}

  /** Writes the fields of a message. */
  private interface Fields {
    void writeTo(CodedOutputStream out) throws IOException;
  }

  /** Returns whether objects of a kind can be encoded, which custom resources cannot. */
  public static boolean knows(String apiVersion, String kind) {
    return ApiTypes.get().ofKind(apiVersion, kind).isPresent();
  }

  /**
   * Encodes an object with its kind.
   *
   * @throws IllegalArgumentException if the kind is not {@linkplain #knows known}
   */
  public static byte[] encode(ObjectNode object) {
    String apiVersion = object.path("apiVersion").asText();
    String kind = object.path("kind").asText();
    return body(apiVersion, kind, fields(object, type(apiVersion, kind)));
  }

  /**
   * Encodes a list.
   *
   * @param kind the kind of the list
   * @param itemKind the kind of its items
   */
  public static byte[] list(
      String apiVersion,
      String kind,
      ObjectNode metadata,
      String itemKind,
      List<ObjectNode> items) {
    ApiType itemType = type(apiVersion, itemKind);
    return body(
        apiVersion,
        kind,
        out -> {
          out.writeByteArray(
              1, message(fields(metadata, ApiTypes.get().named("meta.v1.ListMeta"))));
          for (ObjectNode item : items) {
            out.writeByteArray(2, message(fields(item, itemType)));
          }
        });
  }

  /** Encodes an event of a watch, preceded by its length. */
  public static byte[] event(String eventType, ObjectNode object) {
    byte[] event =
        message(
            out -> {
              out.writeString(1, eventType);
              out.writeByteArray(2, message(raw -> raw.writeByteArray(1, encode(object))));
            });
    return ByteBuffer.allocate(Integer.BYTES + event.length)
        .putInt(event.length)
        .put(event)
        .array();
  }

  private static ApiType type(String apiVersion, String kind) {
    return ApiTypes.get()
        .ofKind(apiVersion, kind)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    apiVersion + " " + kind + " has no protobuf encoding"));
  }

  private static byte[] body(String apiVersion, String kind, Fields object) {
    return message(
        out -> {
          out.writeRawBytes(Envelope.MAGIC);
          out.writeByteArray(
              1,
              message(
                  type -> {
                    type.writeString(1, apiVersion);
                    type.writeString(2, kind);
                  }));
          out.writeByteArray(2, message(object));
          out.writeString(3, "");
          out.writeString(4, "");
        });
  }

  private static byte[] message(Fields fields) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes, 256);
    try {
      fields.writeTo(out);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory failed", e);
    }
    return bytes.toByteArray();
  }

  private static Fields fields(JsonNode object, ApiType type) {
    return out -> {
      for (ApiField field : type.fields()) {
        if (field.inlined()) {
          ApiType inlined = ApiTypes.get().named(field.type());
          out.writeByteArray(field.number(), message(fields(object, inlined)));
        } else {
          write(out, field, object.path(field.json()));
        }
      }
    };
  }

  private static void write(CodedOutputStream out, ApiField field, JsonNode value)
      throws IOException {
    switch (field.shape()) {
      case LIST -> {
        for (JsonNode each : value) {
          value(out, field.number(), field.type(), each);
        }
      }
      case MAP -> {
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
          out.writeByteArray(
              field.number(),
              message(
                  inner -> {
                    inner.writeString(1, entry.getKey());
                    value(inner, 2, field.type(), entry.getValue());
                  }));
        }
      }
      case PLAIN, SHOWN, OPTIONAL -> {
        boolean given = !value.isMissingNode() && !value.isNull();
        if (given || field.shape() != Shape.OPTIONAL) {
          value(out, field.number(), field.type(), given ? value : NOTHING);
        }
      }
    }
  }

  /** Writes a value; the zero value of its type if there is none. */
  private static void value(CodedOutputStream out, int number, String type, JsonNode value)
      throws IOException {
    switch (type) {
      case "text" -> out.writeString(number, value.asText());
      case "bool" -> out.writeBool(number, value.asBoolean());
      case "int32", "int64" -> out.writeInt64(number, value.asLong());
      case "double" -> out.writeDouble(number, value.asDouble());
      case "bytes" -> out.writeByteArray(number, Base64.getDecoder().decode(value.asText()));
      case "quantity" ->
          out.writeByteArray(number, message(in -> in.writeString(1, value.asText())));
      case "time", "microTime" -> out.writeByteArray(number, message(time(value)));
      case "intOrString" -> out.writeByteArray(number, message(intOrString(value)));
      case "json" ->
          out.writeByteArray(
              number,
              value.isMissingNode()
                  ? new byte[0]
                  : message(in -> in.writeByteArray(1, Json.write(value))));
      case "strings" ->
          out.writeByteArray(
              number,
              message(
                  in -> {
                    for (JsonNode each : value) {
                      in.writeString(1, each.asText());
                    }
                  }));
      default -> {
        ApiType message = ApiTypes.get().named(type);
        out.writeByteArray(
            number, message(message.union() ? union(value, message) : fields(value, message)));
      }
    }
  }

  private static Fields time(JsonNode value) {
    return out -> {
      if (!value.isMissingNode()) {
        Instant instant = Instant.parse(value.asText());
        out.writeInt64(1, instant.getEpochSecond());
        out.writeInt32(2, instant.getNano());
      }
    };
  }

  private static Fields intOrString(JsonNode value) {
    return out -> {
      out.writeInt64(1, value.isTextual() ? 1 : 0);
      out.writeInt32(2, value.isTextual() ? 0 : value.asInt());
      out.writeString(3, value.isTextual() ? value.asText() : "");
    };
  }

  /** Returns the field of a union whose type has the JSON encoding of the value. */
  private static Fields union(JsonNode value, ApiType union) {
    Optional<ApiField> field =
        union.fields().stream().filter(each -> fits(value, each)).findFirst();
    return out -> {
      if (field.isPresent()) {
        write(out, field.get(), value);
      }
    };
  }

  private static boolean fits(JsonNode value, ApiField field) {
    return switch (value.getNodeType()) {
      case ARRAY -> field.shape() == Shape.LIST;
      case BOOLEAN -> field.type().equals("bool");
      case OBJECT -> field.shape() != Shape.LIST && !field.type().equals("bool");
      default -> false;
    };
  }
}
