package io.berth.sandbox.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.protobuf.ProtobufBodies;
import io.berth.sandbox.rest.WriteOptions.FieldValidation;
import io.berth.sandbox.store.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decodes request bodies: JSON, YAML, and, for complete objects of built-in kinds, protobuf. */
final class Bodies {
  private static final ObjectReader STRICT =
      Json.MAPPER.reader().with(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
  private static final ObjectMapper YAML = new YAMLMapper();
  private static final ObjectReader STRICT_YAML =
      YAML.reader().with(JsonParser.Feature.STRICT_DUPLICATE_DETECTION);
  private static final Pattern DUPLICATE = Pattern.compile("Duplicate field '([^']*)'");

  private static final Pattern INDENTATION = Pattern.compile("(?m)^[ \\t]+");

  private Bodies() {}

  /** Reads the object in the body of a create or update. */
  static ObjectNode object(Request request, FieldValidation validation) throws IOException {
    return asObject(tree(request, mediaType(request), validation));
  }

  /** Reads the body of a patch. Apply configurations may be YAML. */
  static JsonNode patch(Request request, boolean yaml, FieldValidation validation)
      throws IOException {
    return tree(request, yaml ? "application/yaml" : "application/json", validation);
  }

  /** Reads the optional body of a delete; returns an empty object if there is none. */
  static ObjectNode optional(Request request) throws IOException {
    byte[] body = request.body();
    if (body.length == 0) {
      return Json.object();
    }
    return asObject(read(body, mediaType(request), FieldValidation.IGNORE, request));
  }

  private static String mediaType(Request request) {
    String header = request.header("Content-Type");
    int end = header.indexOf(';');
    String type = (end < 0 ? header : header.substring(0, end)).strip();
    return switch (type) {
      case "", "application/json" -> "application/json";
      case "application/yaml", ProtobufBodies.MEDIA_TYPE -> type;
      default ->
          throw Failures.unsupportedMediaType(
              "the body of the request was in an unknown format - accepted media types include:"
                  + " application/json, application/yaml, "
                  + ProtobufBodies.MEDIA_TYPE);
    };
  }

  private static JsonNode tree(Request request, String mediaType, FieldValidation validation)
      throws IOException {
    byte[] body = request.body();
    if (body.length == 0) {
      throw Failures.badRequest("the request has no body; send the object as application/json");
    }
    return read(body, mediaType, validation, request);
  }

  private static JsonNode read(
      byte[] body, String mediaType, FieldValidation validation, Request request)
      throws IOException {
    if (mediaType.equals(ProtobufBodies.MEDIA_TYPE)) {
      return ProtobufBodies.decode(body);
    }
    try {
      if (mediaType.equals("application/yaml")) {
        return yaml(body, validation);
      }
      if (validation == FieldValidation.IGNORE) {
        return Json.MAPPER.readTree(body);
      }
      try {
        return STRICT.readTree(body);
      } catch (JsonProcessingException e) {
        if (!DUPLICATE.matcher(e.getOriginalMessage()).find()) {
          throw e;
        }
        DuplicateFields.in(body).forEach(request::duplicate);
        return Json.MAPPER.readTree(body);
      }
    } catch (JsonProcessingException e) {
      throw unreadable(e);
    }
  }

  /**
   * Reads YAML. If the document is in flow style, that is, JSON-like, tabs in the indentation are
   * read as spaces, as Go's YAML parser does.
   */
  private static JsonNode yaml(byte[] body, FieldValidation validation) throws IOException {
    String text = new String(body, StandardCharsets.UTF_8);
    boolean flow = text.stripLeading().startsWith("{");
    String read = flow ? INDENTATION.matcher(text).replaceAll(" ") : text;
    if (validation != FieldValidation.STRICT) {
      return YAML.readTree(read);
    }
    try {
      return STRICT_YAML.readTree(read);
    } catch (JsonProcessingException e) {
      Matcher duplicate = DUPLICATE.matcher(e.getOriginalMessage());
      if (!duplicate.find()) {
        throw e;
      }
      throw Failures.badRequest(
          "error converting YAML to JSON: yaml: unmarshal errors:\n  line %d: key \"%s\" already set in map"
              .formatted(e.getLocation().getLineNr(), duplicate.group(1)));
    }
  }

  private static ApiException unreadable(JsonProcessingException e) {
    return Failures.badRequest(
        "couldn't get version/kind; json parse error: " + e.getOriginalMessage());
  }

  private static ObjectNode asObject(JsonNode tree) {
    if (tree instanceof ObjectNode object) {
      return object;
    }
    throw Failures.badRequest(
        "couldn't get version/kind; json parse error: json: cannot unmarshal "
            + tree.getNodeType().name().toLowerCase(Locale.ROOT)
            + " into Go value of type struct { APIVersion string; Kind string }");
  }
}
