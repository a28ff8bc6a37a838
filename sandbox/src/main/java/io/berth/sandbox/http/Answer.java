package io.berth.sandbox.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.Headers;
import io.berth.sandbox.failure.ApiException;
import io.berth.sandbox.protobuf.ProtobufBodies;
import io.berth.sandbox.protobuf.ProtobufObjects;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.rest.Views;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.StoredObject;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes HTTP responses. */
final class Answer {
  private static final int NO_BODY = -1;

  private Answer() {}

  static void json(Request request, int code, JsonNode document) throws IOException {
    bytes(request, code, "application/json", Json.write(document));
  }

  /** Writes an object in the representation that the request accepts: JSON or protobuf. */
  static void object(Request request, int code, ResourceType type, StoredObject object)
      throws IOException {
    if (Accepted.of(request, type).form() == Accepted.Form.PROTOBUF) {
      protobuf(request, code, ProtobufObjects.encode(Views.tree(type, object)));
    } else {
      bytes(request, code, "application/json", Views.bytes(type, object));
    }
  }

  /** Writes a body that is encoded as protobuf. */
  static void protobuf(Request request, int code, byte[] body) throws IOException {
    bytes(request, code, ProtobufBodies.MEDIA_TYPE, body);
  }

  static void text(Request request, int code, String text) throws IOException {
    bytes(request, code, "text/plain; charset=utf-8", text.getBytes(StandardCharsets.UTF_8));
  }

  static void failure(Request request, ApiException failure) throws IOException {
    JsonNode retry = failure.status().path("details").path("retryAfterSeconds");
    if (retry.isNumber()) {
      request.exchange().getResponseHeaders().set("Retry-After", retry.asText());
    }
    if (Accepted.prefersProtobuf(request)) {
      protobuf(request, failure.code(), ProtobufObjects.encode(failure.status()));
    } else {
      json(request, failure.code(), failure.status());
    }
  }

  static void bytes(Request request, int code, String contentType, byte[] body) throws IOException {
    begin(request, contentType);
    boolean head = request.method().equals("HEAD");
    request.exchange().sendResponseHeaders(code, head || body.length == 0 ? NO_BODY : body.length);
    if (!head && body.length > 0) {
      try (OutputStream out = request.exchange().getResponseBody()) {
        out.write(body);
      }
    }
  }

  /** Sets the headers of a response whose body is written afterwards. */
  static void begin(Request request, String contentType) {
    Headers headers = request.exchange().getResponseHeaders();
    headers.set("Content-Type", contentType);
    headers.set("Cache-Control", "no-cache, private");
    for (String warning : request.warnings()) {
      headers.add("Warning", WarningHeader.of(warning));
    }
  }
}
