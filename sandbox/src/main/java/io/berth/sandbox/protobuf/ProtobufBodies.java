package io.berth.sandbox.protobuf;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.protobuf.WireField.Shape;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * Turns request bodies of the media type {@code application/vnd.kubernetes.protobuf} into the JSON
 * that the same Go object would be written as: four magic bytes, an envelope that names the kind,
 * the object.
 */
public final class ProtobufBodies {
  /** The media type. */
  public static final String MEDIA_TYPE = "application/vnd.kubernetes.protobuf";

  private static final byte[] MAGIC = {'k', '8', 's', 0};
  private static final DateTimeFormatter SECONDS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final FieldTable TABLE = FieldTable.load();

  private ProtobufBodies() {}

  /**
   * The object in a body.
   *
   * @throws io.berth.sandbox.failure.ApiException 400 for a body that cannot be read, 415 for a
   *     kind that has no protobuf form here, as custom resources have none
   */
  public static ObjectNode decode(byte[] body) {
    if (body.length < MAGIC.length
        || !Arrays.equals(body, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      throw WireReader.malformed("it does not begin with k8s and a zero byte");
    }
    String apiVersion = "";
    String kind = "";
    byte[] raw = {};
    WireReader envelope = new WireReader(body, MAGIC.length, body.length);
    while (envelope.next()) {
      switch (envelope.number()) {
        case 1 -> {
          WireReader type = envelope.message();
          while (type.next()) {
            switch (type.number()) {
              case 1 -> apiVersion = type.text();
              case 2 -> kind = type.text();
              default -> type.skip();
            }
          }
        }
        case 2 -> raw = envelope.bytes();
        default -> envelope.skip();
      }
    }
    String named = apiVersion + ", kind " + kind;
    String message =
        TABLE
            .message(apiVersion, kind)
            .orElseThrow(
                () ->
                    Failures.unsupportedMediaType(
                        "objects of version "
                            + named
                            + " cannot be read as protobuf; send them as application/json"));
    ObjectNode object = Json.object().put("kind", kind).put("apiVersion", apiVersion);
    readInto(object, new WireReader(raw, 0, raw.length), message);
    return object;
  }

  private static void readInto(ObjectNode object, WireReader in, String message) {
    Map<Integer, WireField> fields = TABLE.fields(message);
    while (in.next()) {
      WireField field = fields.get(in.number());
      if (field == null) {
        in.skip();
      } else if (field.inlined()) {
        readInto(object, in.message(), field.type());
      } else {
        switch (field.shape()) {
          case LIST -> addTo(object.withArrayProperty(field.json()), in, field.type());
          case MAP -> putInto(object.withObjectProperty(field.json()), in.message(), field.type());
          case PLAIN, SHOWN, OPTIONAL ->
              value(in, field.type())
                  .filter(value -> field.shape() != Shape.PLAIN || !isZero(value))
                  .ifPresent(value -> object.set(field.json(), value));
        }
      }
    }
  }

  private static void addTo(ArrayNode list, WireReader in, String type) {
    if (type.equals("int") && in.wireType() == WireReader.LENGTH_DELIMITED) {
      WireReader packed = in.message();
      while (packed.more()) {
        list.add(number(packed.varint()));
      }
    } else {
      value(in, type).ifPresent(list::add);
    }
  }

  private static void putInto(ObjectNode map, WireReader entry, String type) {
    String key = "";
    Optional<JsonNode> value = Optional.empty();
    while (entry.next()) {
      switch (entry.number()) {
        case 1 -> key = entry.text();
        case 2 -> value = value(entry, type);
        default -> entry.skip();
      }
    }
    map.set(key, value.orElse(NODES.textNode("")));
  }

  private static boolean isZero(JsonNode value) {
    return switch (value.getNodeType()) {
      case STRING -> value.textValue().isEmpty();
      case NUMBER -> value.longValue() == 0;
      case BOOLEAN -> !value.booleanValue();
      default -> value.isEmpty();
    };
  }

  /** The value of the current field; empty if JSON writes it as null. */
  private static Optional<JsonNode> value(WireReader in, String type) {
    return switch (type) {
      case "text" -> Optional.of(NODES.textNode(in.text()));
      case "bool" -> Optional.of(NODES.booleanNode(number(in) != 0));
      case "int" -> Optional.of(number(number(in)));
      case "bytes" -> Optional.of(NODES.textNode(Base64.getEncoder().encodeToString(in.bytes())));
      case "quantity" -> Optional.of(NODES.textNode(quantity(in.message())));
      case "time" -> time(in.message(), SECONDS);
      case "microTime" -> time(in.message(), MICROS);
      case "intOrString" -> Optional.of(intOrString(in.message()));
      case "json" -> json(in.message());
      case "strings" -> Optional.of(strings(in.message()));
      default -> {
        ObjectNode object = NODES.objectNode();
        readInto(object, in.message(), type);
        yield Optional.of(object);
      }
    };
  }

  /** As the JSON parser would make it, so that equal numbers are equal nodes. */
  private static JsonNode number(long value) {
    return value == (int) value ? NODES.numberNode((int) value) : NODES.numberNode(value);
  }

  private static long number(WireReader in) {
    if (in.wireType() != WireReader.VARINT) {
      throw WireReader.malformed(
          "field " + in.number() + " has wire type " + in.wireType() + " instead of 0");
    }
    return in.varint();
  }

  private static String quantity(WireReader in) {
    String text = "0";
    while (in.next()) {
      if (in.number() == 1) {
        text = in.text();
      } else {
        in.skip();
      }
    }
    return text.isEmpty() ? "0" : text;
  }

  private static Optional<JsonNode> time(WireReader in, DateTimeFormatter format) {
    if (!in.more()) {
      return Optional.empty();
    }
    long seconds = 0;
    long nanos = 0;
    while (in.next()) {
      switch (in.number()) {
        case 1 -> seconds = number(in);
        case 2 -> nanos = number(in);
        default -> in.skip();
      }
    }
    try {
      return Optional.of(NODES.textNode(format.format(Instant.ofEpochSecond(seconds, nanos))));
    } catch (DateTimeException e) {
      throw WireReader.malformed(seconds + " seconds are no time: " + e.getMessage());
    }
  }

  private static JsonNode intOrString(WireReader in) {
    long type = 0;
    long number = 0;
    String text = "";
    while (in.next()) {
      switch (in.number()) {
        case 1 -> type = number(in);
        case 2 -> number = number(in);
        case 3 -> text = in.text();
        default -> in.skip();
      }
    }
    return type == 0 ? number(number) : NODES.textNode(text);
  }

  private static Optional<JsonNode> json(WireReader in) {
    byte[] raw = {};
    while (in.next()) {
      if (in.number() == 1) {
        raw = in.bytes();
      } else {
        in.skip();
      }
    }
    try {
      JsonNode tree = Json.MAPPER.readTree(raw);
      return tree.isMissingNode() || tree.isNull() ? Optional.empty() : Optional.of(tree);
    } catch (JsonProcessingException e) {
      throw WireReader.malformed("it holds JSON that is none: " + e.getOriginalMessage());
    } catch (IOException e) {
      throw new UncheckedIOException("bytes in memory could not be read", e);
    }
  }

  private static ArrayNode strings(WireReader in) {
    ArrayNode list = NODES.arrayNode();
    while (in.next()) {
      if (in.number() == 1) {
        list.add(in.text());
      } else {
        in.skip();
      }
    }
    return list;
  }
}
