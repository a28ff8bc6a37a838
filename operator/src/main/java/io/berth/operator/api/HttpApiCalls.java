package io.berth.operator.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.Connections.Call;
import io.berth.operator.protobuf.Envelope;
import java.net.HttpURLConnection;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to an API server over its connections. Receivers run on a virtual thread of their own
 * and may block, except those of {@link #bind}. A request that was rejected because its token has
 * expired is sent once more, with the renewed token.
 */
public final class HttpApiCalls implements ApiCalls, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(HttpApiCalls.class);

  /** Shares its buffers among threads: callers run on virtual threads that live for one request. */
  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
              .build());

  /** Prefers protobuf, which costs the API server less; proxies may answer with JSON. */
  private static final String PROTOBUF_OR_JSON = Envelope.MEDIA_TYPE + ", " + Call.JSON;

  private static final RandomGenerator RANDOM = new SecureRandom();

  private final Connections connections;
  private final Credentials credentials;
  private final String server;
  private final Duration timeout;
  private final BooleanSupplier mayBeSent;

  /**
   * @param timeout the total time limit of a request, after which its response counts as lost
   */
  public HttpApiCalls(ClusterAccess access, Duration timeout) {
    this(
        new Connections(access),
        access.credentials(),
        access.server().toString().replaceFirst("/+$", ""),
        timeout,
        () -> true);
  }

  private HttpApiCalls(
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

  @Override
  public ApiCalls onlyWhile(BooleanSupplier condition) {
    return new HttpApiCalls(connections, credentials, server, timeout, condition);
  }

  @Override
  public void post(String path, JsonNode body, Consumer<Answer> then) {
    send(call("POST", path, Call.JSON, Call.JSON, bytes(body)), blocking(then));
  }

  @Override
  public void bind(String path, byte[] binding, Consumer<Answer> then) {
    send(
        call("POST", path, PROTOBUF_OR_JSON, Envelope.MEDIA_TYPE, binding),
        answer -> hear(answer, then));
  }

  @Override
  public void get(String path, Consumer<Answer> then) {
    send(call("GET", path, Call.JSON, null, null), blocking(then));
  }

  @Override
  public void patch(String path, String contentType, JsonNode patch, Consumer<Answer> then) {
    send(call("PATCH", path, Call.JSON, contentType, bytes(patch)), blocking(then));
  }

  @Override
  public void delete(String path, JsonNode options, Consumer<Answer> then) {
    send(call("DELETE", path, Call.JSON, Call.JSON, bytes(options)), blocking(then));
  }

  @Override
  public void later(Duration pause, Runnable task) {
    CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS).execute(task);
  }

  @Override
  public void fork(String name, Runnable task) {
    Thread.ofVirtual().name(name).start(task);
  }

  @Override
  public <T> T await(CompletableFuture<T> result) {
    return result.join();
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public RandomGenerator random() {
    return RANDOM;
  }

  /** Stops sending requests; requests in progress are still answered. */
  @Override
  public void close() {
    connections.close();
  }

  private Call call(
      String method,
      String path,
      String accept,
      @Nullable String contentType,
      byte @Nullable [] body) {
    return new Call(method, URI.create(server + path), accept, contentType, body);
  }

  private void send(Call call, Consumer<Answer> then) {
    long deadline = System.nanoTime() + timeout.toNanos();
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
            then.accept(answer);
          }
        });
  }

  /**
   * Sends a request that was rejected with a 401 once more, if a new token is available within the
   * request's time limit.
   */
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
                    connections.send(call, credentials.authorization(), left, mayBeSent, then);
                  } else {
                    RequestLoop.run(() -> then.accept(refusal));
                  }
                });
  }

  /** Returns a receiver for the event loop that calls the given one on a virtual thread. */
  private static Consumer<Answer> blocking(Consumer<Answer> then) {
    return answer -> Thread.ofVirtual().name("api-answer").start(() -> hear(answer, then));
  }

  private static void hear(Answer answer, Consumer<Answer> then) {
    try {
      then.accept(answer);
    } catch (RuntimeException bug) {
      LOG.error("Handling a response of the API server failed", bug);
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
