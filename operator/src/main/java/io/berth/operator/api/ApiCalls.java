package io.berth.operator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plain JSON requests to the API server, asynchronous and without retries: who sends thousands of
 * them decides himself what a 429 or a lost answer means. Authentication and TLS are those of the
 * client it is made from; the way is {@link DirectConnections} where they know it.
 */
public final class ApiCalls implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);
  private static final String BUG = "Handling an answer of the API server failed";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http;
  private final String server;
  private final Duration timeout;
  private final Optional<DirectConnections> direct;
  private final BooleanSupplier mayBeSent;

  /**
   * @param client a client that does not retry by itself
   * @param timeout after which an answer counts as lost
   */
  public ApiCalls(KubernetesClient client, Duration timeout) {
    this.http = client.getHttpClient();
    String url = client.getMasterUrl().toString();
    this.server = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    this.timeout = timeout;
    this.direct = DirectConnections.of(client, timeout);
    this.mayBeSent = () -> true;
  }

  private ApiCalls(ApiCalls other, BooleanSupplier mayBeSent) {
    this.http = other.http;
    this.server = other.server;
    this.timeout = other.timeout;
    this.direct = other.direct;
    this.mayBeSent = mayBeSent;
  }

  /**
   * The same calls, each of which is sent only while the condition holds: it is asked when a
   * request is about to be written, after the wait for a connection. A request that is not sent for
   * it is answered with {@link Answer#wasNotSent}.
   */
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return new ApiCalls(this, condition);
  }

  /** Creates an object; {@code path} starts with a slash. */
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    send("POST", path, "application/json", bytes(body), then);
  }

  /** Reads an object. */
  public void get(String path, Consumer<Answer> then) {
    send("GET", path, null, null, then);
  }

  /** Changes an object by a patch of the given content type. */
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    send("PATCH", path, contentType, bytes(patch), then);
  }

  /** Deletes an object, with delete options as the body. */
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    send("DELETE", path, "application/json", bytes(options), then);
  }

  /** Runs something after a pause. */
  public void later(Duration pause, Runnable task) {
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS).execute(task);
  }

  /** Closes idle connections; what is under way is answered still. */
  @Override
  public void close() {
    direct.ifPresent(DirectConnections::close);
  }

  private void send(
      String method,
      String path,
      @Nullable String contentType,
      byte @Nullable [] body,
      Consumer<Answer> then) {
    if (direct.isEmpty()) {
      sendByClient(method, path, contentType, body, then);
      return;
    }
    Thread.ofVirtual()
        .name("api-call")
        .start(
            () -> {
              Answer answer;
              try {
                answer = direct.get().exchange(method, path, contentType, body, mayBeSent);
              } catch (IOException e) {
                answer = Answer.none(e);
              }
              if (answer.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
                sendByClient(method, path, contentType, body, then); // it renews its token
              } else {
                hear(answer, then);
              }
            });
  }

  private void sendByClient(
      String method,
      String path,
      @Nullable String contentType,
      byte @Nullable [] body,
      Consumer<Answer> then) {
    if (!mayBeSent.getAsBoolean()) {
      hear(Answer.notSent(), then);
      return;
    }
    CompletableFuture<HttpResponse<byte[]>> response;
    try {
      HttpRequest.Builder request =
          http.newHttpRequestBuilder()
              .uri(server + path)
              .header("Accept", "application/json")
              .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (contentType != null && body != null) {
        request.method(method, contentType, new String(body, StandardCharsets.UTF_8));
      }
      response = http.sendAsync(request.build(), byte[].class);
    } catch (RuntimeException e) {
      response = CompletableFuture.failedFuture(e);
    }
    CompletableFuture<Void> heard =
        response
            .handle((r, failure) -> r != null ? Answer.of(r) : Answer.none(failure))
            .thenAccept(then);
    heard.exceptionally(
        bug -> {
          LOG.error(BUG, bug);
          return null;
        });
  }

  private static void hear(Answer answer, Consumer<Answer> then) {
    try {
      then.accept(answer);
    } catch (RuntimeException bug) {
      LOG.error(BUG, bug);
    }
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + body, e);
    }
  }
}
