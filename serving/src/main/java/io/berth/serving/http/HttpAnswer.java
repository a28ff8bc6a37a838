package io.berth.serving.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A response to a request. Its body is not copied, so callers must not modify it afterwards. */
public final class HttpAnswer {
  private final int status;
  private final String contentType;
  private final byte[] body;
  private final Optional<StreamedBody> stream;
  private final Map<String, String> headers;

  private HttpAnswer(
      int status,
      String contentType,
      byte[] body,
      Optional<StreamedBody> stream,
      Map<String, String> headers) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.stream = stream;
    this.headers = headers;
  }

  public HttpAnswer(int status, String contentType, byte[] body) {
    this(status, contentType, body, Optional.empty(), Map.of());
  }

  /** Returns a response whose body is written piece by piece. */
  public static HttpAnswer streamed(int status, String contentType, StreamedBody body) {
    return new HttpAnswer(status, contentType, new byte[0], Optional.of(body), Map.of());
  }

  /** Returns a response with a line of plain text. */
  public static HttpAnswer text(int status, String line) {
    return new HttpAnswer(
        status, "text/plain; charset=utf-8", (line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  /** Returns a copy of this response with an additional header. */
  public HttpAnswer with(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(name, value);
    return new HttpAnswer(status, contentType, body, stream, all);
  }

  public int status() {
    return status;
  }

  public String contentType() {
    return contentType;
  }

  /** Returns the complete body; no bytes if it is streamed. */
  public byte[] body() {
    return body;
  }

  /** Returns the body that is written piece by piece; empty if the body is complete. */
  public Optional<StreamedBody> stream() {
    return stream;
  }

  public Map<String, String> headers() {
    return headers;
  }
}
