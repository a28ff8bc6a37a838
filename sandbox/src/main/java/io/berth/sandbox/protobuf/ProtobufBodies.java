package io.berth.sandbox.protobuf;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.release.ApiField;
import io.berth.sandbox.release.ApiField.Shape;
import io.berth.sandbox.release.ApiType;
import io.berth.sandbox.release.ApiTypes;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Converts request bodies of media type {@code application/vnd.kubernetes.protobuf} to the JSON
 * encoding of the same Go object. A body consists of four magic bytes and an envelope that contains
 * the kind and the encoded object.
 */
public final class ProtobufBodies {
  /** The media type of protobuf bodies. */
  public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private ProtobufBodies() {}

  /**
   * Decodes the object in a body.
   *
   * @throws io.berth.sandbox.failure.ApiException 400 if the body is malformed, 415 if the kind has
   *     no protobuf encoding here, such as custom resources
   */
  public static ObjectNode decode(byte[] body) {
    if (body.length < Envelope.MAGIC.length
        || !Arrays.equals(
            body, 0, Envelope.MAGIC.length, Envelope.MAGIC, 0, Envelope.MAGIC.length)) {
      throw malformed("it does not begin with k8s and a zero byte");
    }
    try {
      Envelope envelope =
          Envelope.read(
              CodedInputStream.newInstance(
                  body, Envelope.MAGIC.length, body.length - Envelope.MAGIC.length));
      ApiType type =
          ApiTypes.get()
              .ofKind(envelope.apiVersion(), envelope.kind())
              .orElseThrow(() -> unsupported(envelope));
      ObjectNode object =
          Json.object().put("kind", envelope.kind()).put("apiVersion", envelope.apiVersion());
      readInto(object, CodedInputStream.newInstance(envelope.raw()), type);
      return object;
    } catch (IOException e) {
      throw malformed(String.valueOf(e.getMessage()));
    }
  }

  private static ApiException unsupported(Envelope envelope) {
    return Failures.unsupportedMediaType(
        "objects of version "
            + envelope.apiVersion()
            + ", kind "
            + envelope.kind()
            + " cannot be read as protobuf; send them as application/json");
  }

  private static ApiException malformed(String what) {
    return Failures.badRequest("the body is not a valid Kubernetes protobuf message: " + what);
  }

  private static void readInto(ObjectNode object, CodedInputStream in, ApiType type)
      throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      ApiField field = type.byNumber().get(WireFormat.getTagFieldNumber(tag));
      if (field == null) {
        in.skipField(tag);
      } else if (field.inlined()) {
        inMessage(in, tag, () -> readInto(object, in, ApiTypes.get().named(field.type())));
      } else {
        switch (field.shape()) {
          case LIST -> addTo(object.withArrayProperty(field.json()), in, tag, field.type());
          case MAP -> putInto(object.withObjectProperty(field.json()), in, tag, field.type());
          case PLAIN, SHOWN, OPTIONAL ->
              value(in, tag, field.type())
                  .filter(value -> field.shape() != Shape.PLAIN || !isZero(value))
                  .ifPresent(value -> object.set(field.json(), value));
        }
      }
    }
  }

  private static void addTo(ArrayNode list, CodedInputStream in, int tag, String type)
      throws IOException {
    boolean packed =
        type.startsWith("int")
            && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
    if (packed) {
      inMessage(
          in,
          tag,
          () -> {
            while (!in.isAtEnd()) {
              list.add(number(in.readInt64()));
            }
          });
    } else {
      value(in, tag, type).ifPresent(list::add);
    }
  }

  private static void putInto(ObjectNode map, CodedInputStream in, int tag, String type)
      throws IOException {
    inMessage(
        in,
        tag,
        () -> {
          String key = "";
          JsonNode value = NODES.textNode("");
          for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(inner)) {
              case 1 -> key = in.readString();
              case 2 -> value = value(in, inner, type).orElse(value);
              default -> in.skipField(inner);
            }
          }
          map.set(key, value);
        });
  }

  private static boolean isZero(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.textValue().isEmpty();
      case NUMBER -> value.doubleValue() == 0;
      case BOOLEAN -> !value.booleanValue();
      default -> value.isEmpty();
    };
  }

  /** Reads the value of a field; empty if its JSON encoding is null. */
  private static Optional<JsonNode> value(CodedInputStream in, int tag, String type)
      throws IOException {
    return switch (type) {
      case "text" -> Optional.of(NODES.textNode(text(in, tag)));
      case "bool" -> Optional.of(NODES.booleanNode(varint(in, tag) != 0));
      case "int32", "int64" -> Optional.of(number(varint(in, tag)));
      case "double" -> {
        expect(tag, WireFormat.WIRETYPE_FIXED64);
        double read = in.readDouble();
        yield Optional.of(read == (long) read ? number((long) read) : NODES.numberNode(read));
      }
      case "bytes" ->
          Optional.of(NODES.textNode(Base64.getEncoder().encodeToString(bytes(in, tag))));
      case "quantity" -> Optional.of(NODES.textNode(quantity(in, tag)));
      case "time" -> time(in, tag, SECONDS);
      case "microTime" -> time(in, tag, MICROS);
      case "intOrString" -> Optional.of(intOrString(in, tag));
      case "json" -> json(in, tag);
      case "strings" -> Optional.of(strings(in, tag));
      default -> {
        ObjectNode object = NODES.objectNode();
        ApiType message = ApiTypes.get().named(type);
        inMessage(in, tag, () -> readInto(object, in, message));
        yield message.union() ? firstGiven(object, message) : Optional.of(object);
      }
    };
  }

  private static Optional<JsonNode> firstGiven(ObjectNode object, ApiType union) {
    List<String> names =
        union.fields().stream()
            .map(ApiField::json)
            .sorted(Comparator.comparing(name -> !name.equals("schema")))
            .toList();
    return names.stream().filter(object::has).map(object::get).findFirst();
  }

  /** Returns the same node type as the JSON parser, so that equal numbers are equal nodes. */
  private static JsonNode number(long value) {
    return value == (int) value ? NODES.numberNode((int) value) : NODES.numberNode(value);
  }

  /** A reader of an embedded message. While it runs, the stream is limited to that message. */
  private interface Content {
    void read() throws IOException;
  }

  private static void inMessage(CodedInputStream in, int tag, Content content) throws IOException {
    expect(tag, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    int outer = in.pushLimit(in.readUInt32());
    content.read();
    in.popLimit(outer);
  }

  private static void expect(int tag, int wireType) {
    if (WireFormat.getTagWireType(tag) != wireType) {
      throw malformed(
          "field "
              + WireFormat.getTagFieldNumber(tag)
              + " has wire type "
              + WireFormat.getTagWireType(tag)
              + " instead of "
              + wireType);
    }
  }

  private static long varint(CodedInputStream in, int tag) throws IOException {
    expect(tag, WireFormat.WIRETYPE_VARINT);
    return in.readInt64();
  }

  private static String text(CodedInputStream in, int tag) throws IOException {
    expect(tag, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    return in.readString();
  }

  private static byte[] bytes(CodedInputStream in, int tag) throws IOException {
    expect(tag, WireFormat.WIRETYPE_LENGTH_DELIMITED);
    return in.readByteArray();
  }

  private static String quantity(CodedInputStream in, int tag) throws IOException {
    List<String> texts = texts(in, tag);
    String last = texts.isEmpty() ? "" : texts.getLast();
    return last.isEmpty() ? "0" : last;
  }

  /** Returns the values of field 1, a string, in a message without other fields. */
  private static List<String> texts(CodedInputStream in, int tag) throws IOException {
    List<String> texts = new ArrayList<>();
    inMessage(
        in,
        tag,
        () -> {
          for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
            if (WireFormat.getTagFieldNumber(inner) == 1) {
              texts.add(text(in, inner));
            } else {
              in.skipField(inner);
            }
          }
        });
    return texts;
  }

  private static Optional<JsonNode> time(CodedInputStream in, int tag, DateTimeFormatter format)
      throws IOException {
    Map<Integer, Long> parts = new HashMap<>();
    inMessage(
        in,
        tag,
        () -> {
          for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
            parts.put(WireFormat.getTagFieldNumber(inner), varint(in, inner));
          }
        });
    if (parts.isEmpty()) {
      return Optional.empty();
    }
    long seconds = parts.getOrDefault(1, 0L);
    try {
      Instant instant = Instant.ofEpochSecond(seconds, parts.getOrDefault(2, 0L));
      return Optional.of(NODES.textNode(format.format(instant)));
    } catch (DateTimeException e) {
      throw malformed(seconds + " seconds is not a valid time: " + e.getMessage());
    }
  }

  private static JsonNode intOrString(CodedInputStream in, int tag) throws IOException {
    ObjectNode parts = NODES.objectNode();
    inMessage(
        in,
        tag,
        () -> {
          for (int inner = in.readTag(); inner != 0; inner = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(inner)) {
              case 1 -> parts.put("type", varint(in, inner));
              case 2 -> parts.set("number", number(varint(in, inner)));
              case 3 -> parts.put("text", text(in, inner));
              default -> in.skipField(inner);
            }
          }
        });
    return parts.path("type").asLong() == 0
        ? number(parts.path("number").asLong())
        : NODES.textNode(parts.path("text").asText());
  }

  private static Optional<JsonNode> json(CodedInputStream in, int tag) throws IOException {
    List<String> texts = texts(in, tag);
    try {
      JsonNode tree = Json.MAPPER.readTree(texts.isEmpty() ? "" : texts.getLast());
      return tree.isMissingNode() || tree.isNull() ? Optional.empty() : Optional.of(tree);
    } catch (JsonProcessingException e) {
      throw malformed("it contains malformed JSON: " + e.getOriginalMessage());
    }
  }

  private static ArrayNode strings(CodedInputStream in, int tag) throws IOException {
    ArrayNode list = NODES.arrayNode();
    texts(in, tag).forEach(list::add);
    return list;
  }
}
