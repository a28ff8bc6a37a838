package io.berth.serving.http;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** A response to a request. Its body is not copied, so callers must not modify it afterwards. */
public final class HttpAnswer {
  private final int status;
  private final String contentType;
  private final byte[] body;
  private final Map<String, String> headers;

  private HttpAnswer(int status, String contentType, byte[] body, Map<String, String> headers) {
    this.status = status;
    this.contentType = contentType;
    this.body = body;
    this.headers = headers;
  }

  public HttpAnswer(int status, String contentType, byte[] body) {
    this(status, contentType, body, Map.of());
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
    return new HttpAnswer(status, contentType, body, all);
  }

  public int status() {
    return status;
  }

  public String contentType() {
    return contentType;
  }

  public byte[] body() {
    return body;
  }

  public Map<String, String> headers() {
    return headers;
  }
}
