package io.berth.operator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.Connections.Call;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plain JSON requests to the API server, asynchronous and without retries: who sends thousands of
 * them decides himself what a 429 or a lost answer means. Only a request whose token has expired is
 * sent once more, with the renewed one.
 */
public final class ApiCalls implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Connections connections;
  private final Credentials credentials;
  private final String server;
  private final Duration timeout;
  private final BooleanSupplier mayBeSent;

  /**
   * @param timeout after which an answer counts as lost, whatever was waited for
   */
  public ApiCalls(ClusterAccess access, Duration timeout) {
    this(
        new Connections(access),
        access.credentials(),
        access.server().toString().replaceFirst("/+$", ""),
        timeout,
        () -> true);
  }

  private ApiCalls(
      Connections connections,
      Credentials credentials,
      String server,
      Duration timeout,
      BooleanSupplier mayBeSent) {
    this.connections = connections;
    this.credentials = credentials;
    this.server = server;
    this.timeout = timeout;
    this.mayBeSent = mayBeSent;
  }

  /**
   * The same calls, each of which is sent only while the condition holds: it is asked when a
   * request is about to be written, after the wait for a connection. A request that is not sent for
   * it is answered with {@link Answer#wasNotSent}.
   */
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return new ApiCalls(connections, credentials, server, timeout, condition);
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

  /** Stops sending requests; requests in progress are still answered. */
  @Override
  public void close() {
    connections.close();
  }

  private void send(
      String method,
      String path,
      @Nullable String contentType,
      byte @Nullable [] body,
      Consumer<Answer> then) {
    long deadline = System.nanoTime() + timeout.toNanos();
    Call call = new Call(method, URI.create(server + path), contentType, body);
    String authorization = credentials.authorization();
    connections.send(
        call,
        authorization,
        timeout,
        mayBeSent,
        answer -> {
          if (answer.code() == HttpURLConnection.HTTP_UNAUTHORIZED) {
            renewAndSend(call, authorization, answer, deadline, then);
          } else {
            hear(answer, then);
          }
        });
  }

  /** Sends a refused request once more if there is another token within its time. */
  private void renewAndSend(
      Call call, String refused, Answer refusal, long deadline, Consumer<Answer> then) {
    var _ =
        credentials
            .renewAfter(refused)
            .completeOnTimeout(false, deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
            .thenAccept(
                renewed -> {
                  Duration left = Duration.ofNanos(deadline - System.nanoTime());
                  if (renewed && left.isPositive()) {
                    connections.send(
                        call,
                        credentials.authorization(),
                        left,
                        mayBeSent,
                        answer -> hear(answer, then));
                  } else {
                    hear(refusal, then);
                  }
                });
  }

  /** Not on the thread that reads answers: the receiver of one may be slow. */
  private static void hear(Answer answer, Consumer<Answer> then) {
    Thread.ofVirtual()
        .name("api-answer")
        .start(
            () -> {
              try {
                then.accept(answer);
              } catch (RuntimeException bug) {
                LOG.error("Handling an answer of the API server failed", bug);
              }
            });
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON: " + body, e);
    }
  }
}
