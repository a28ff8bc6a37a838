package io.berth.operator.bind;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plain JSON requests to the API server, asynchronous and without retries: who sends thousands of
 * them decides himself what a 429 or a lost answer means. Authentication and TLS are those of the
 * client it is made from.
 */
public final class ApiCalls {

  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http;
  private final String server;
  private final Duration timeout;

  /**
   * @param client a client that does not retry by itself
   * @param timeout after which an answer counts as lost
   */
  public ApiCalls(KubernetesClient client, Duration timeout) {
    this.http = client.getHttpClient();
    String url = client.getMasterUrl().toString();
    this.server = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.timeout = timeout;
  }

  /** Creates an object; {@code path} starts with a slash. */
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    send(() -> request(path).post("application/json", bytes(body)), then);
  }

  /** Reads an object. */
  public void get(String path, Consumer<Answer> then) {
    send(() -> request(path), then);
  }

  /** Changes an object by a patch of the given content type. */
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    send(() -> request(path).method("PATCH", contentType, patch.toString()), then);
  }

  /** Deletes an object, with delete options as the body. */
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    send(() -> request(path).method("DELETE", "application/json", options.toString()), then);
  }

  /** Runs something after a pause. */
  public void later(Duration pause, Runnable task) {
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS).execute(task);
  }

  private HttpRequest.Builder request(String path) {
    return http.newHttpRequestBuilder()
        .uri(server + path)
        .header("Accept", "application/json")
        .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void send(Supplier<HttpRequest.Builder> request, Consumer<Answer> then) {
    CompletableFuture<HttpResponse<byte[]>> response;
    try {
      response = http.sendAsync(request.get().build(), byte[].class);
    } catch (RuntimeException e) {
      response = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<Void> handled =
        response
            .handle((r, failure) -> r != null ? Answer.of(r) : Answer.none(failure))
            .thenAccept(then);
    handled.exceptionally(
        bug -> {
          LOG.error("Handling an answer of the API server failed", bug);
          return null;
        });
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + body, e);
    }
  }

  /** What the API server answered. */
  public static final class Answer {

    private final int code;
    private final Duration retryAfter;
    private final byte[] body;

    private Answer(int code, Duration retryAfter, byte[] body) {
      this.code = code;
      this.retryAfter = retryAfter;
      this.body = body;
    }

    static Answer none(Throwable failure) {
      Throwable cause = failure;
      while (cause instanceof CompletionException && cause.getCause() != null) {
        cause = cause.getCause();
      }
      String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
      byte[] body = ("no answer: " + message).getBytes(StandardCharsets.UTF_8);
      return new Answer(0, Duration.ZERO, body);
    }

    static Answer of(HttpResponse<byte[]> response) {
      byte[] body = response.body();
      return new Answer(response.code(), pause(response), body == null ? new byte[0] : body);
    }

    /** The HTTP status; 0 when no answer came. */
    public int code() {
      return code;
    }

    /** How long the server asks to wait; zero when it does not. */
    public Duration retryAfter() {
      return retryAfter;
    }

    public boolean ok() {
      return code >= 200 && code < 300;
    }

    /** Whether the server asks to come back later, having done nothing. */
    public boolean throttled() {
      return code == 429;
    }

    /** Whether it is unknown what the server did. */
    public boolean ambiguous() {
      return code >= 500 || code == 0;
    }

    /** The body as JSON; a missing node when it is none. */
    public JsonNode json() {
      try {
        return JSON.readTree(body);
      } catch (IOException e) {
        LOG.debug("answer {} is not JSON", code, e);
        return MissingNode.getInstance();
      }
    }

    /** The server's own words, for logs and events. */
    public String message() {
      JsonNode message = json().path("message");
      if (message.isTextual()) {
        return message.asText();
      }
      String text = new String(body, StandardCharsets.UTF_8).strip();
      if (code == 0) {
        return text;
      }
      return text.isEmpty()
          ? "HTTP " + code
          : "HTTP " + code + ": " + text.substring(0, Math.min(200, text.length()));
    }

    private static Duration pause(HttpResponse<byte[]> response) {
      String header = response.header("Retry-After");
      boolean seconds =
          header != null
              && !header.isEmpty()
              && header.length() <= 6
              && header.chars().allMatch(Character::isDigit);
      return seconds ? Duration.ofSeconds(Long.parseLong(header)) : Duration.ZERO;
    }
  }
}
