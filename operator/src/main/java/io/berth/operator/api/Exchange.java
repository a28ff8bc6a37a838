package io.berth.operator.api;

import io.berth.operator.api.Connections.Bounds;
import io.berth.operator.api.Connections.Call;
import io.vertx.core.AsyncResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response. All methods run on the event loop of {@link RequestLoop}; exactly one
 * answer is passed on.
 */
final class Exchange {
  private final Bounds bounds;
  private final Call call;
  private final Head head;
  private final BooleanSupplier mayBeSent;
  private final Consumer<Answer> then;

  private final long begunAt = System.nanoTime();
  private long timer;
  private boolean ended;
  private Runnable onEnd = () -> {};
  private @Nullable Consumer<@Nullable HttpVersion> onConnection;
  private @Nullable ConnectionActivity connections;
  private @Nullable HttpClientRequest request;
  private final Buffer body = Buffer.buffer();

  /**
   * The parts of a request besides its path and body.
   *
   * @param fixed the headers of every request
   * @param authorization the value of the Authorization header; empty for none
   * @param at the address of the server; it need not be resolved
   */
  record Head(List<Map.Entry<String, String>> fixed, String authorization, SocketAddress at) {}

  /**
   * Creates an exchange without sending the request.
   *
   * @param mayBeSent evaluated right before the request is written
   * @param then receives the answer; must not block
   */
  Exchange(Bounds bounds, Call call, Head head, BooleanSupplier mayBeSent, Consumer<Answer> then) {
    this.bounds = bounds;
    this.call = call;
    this.head = head;
    this.mayBeSent = mayBeSent;
    this.then = then;
  }

  /**
   * Starts the time of the request.
   *
   * @param limit the time limit for all phases, after which the response counts as lost
   */
  void begin(Duration limit) {
    timer = RequestLoop.vertx().setTimer(Math.max(1, limit.toMillis()), fired -> expire(limit));
  }

  /** Returns whether there is an answer already, such as that the time is up. */
  boolean hasEnded() {
    return ended;
  }

  /** Ends the exchange without sending the request. */
  void refuse(Throwable why) {
    end(Answer.none(why));
  }

  /**
   * Sends the request once there is a connection.
   *
   * @param connected receives once the version of HTTP that the connection speaks; null if there is
   *     no connection in time
   * @param whenEnded called when there is an answer
   */
  void sendOver(
      HttpClient http,
      ConnectionActivity connections,
      Consumer<@Nullable HttpVersion> connected,
      Runnable whenEnded) {
    this.connections = connections;
    this.onConnection = connected;
    this.onEnd = whenEnded;
    try {
      http.request(options())
          .onComplete(
              result -> {
                report(result.succeeded() ? result.result().version() : null);
                connected(result);
              });
    } catch (RuntimeException refused) { // a header that may not be sent, or a closed client
      end(Answer.none(refused));
    }
  }

  private void report(@Nullable HttpVersion version) {
    Consumer<@Nullable HttpVersion> receiver = onConnection;
    onConnection = null;
    if (receiver != null) {
      receiver.accept(version);
    }
  }

  private RequestOptions options() {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(call.method()))
            .setHost(bounds.serverName().isEmpty() ? call.uri().getHost() : bounds.serverName())
            .setPort(call.port())
            .setServer(head.at())
            .setURI(call.path())
            .putHeader(HttpHeaders.ACCEPT, call.accept());
    head.fixed().forEach(header -> options.addHeader(header.getKey(), header.getValue()));
    if (!head.authorization().isEmpty()) {
      options.putHeader(HttpHeaders.AUTHORIZATION, head.authorization());
    }
    if (call.contentType() != null) {
      options.putHeader(HttpHeaders.CONTENT_TYPE, call.contentType());
    }
    return options;
  }

  private void connected(AsyncResult<HttpClientRequest> result) {
    if (result.failed()) {
      end(Answer.none(result.cause()));
      return;
    }
    HttpClientRequest ready = result.result();
    request = ready;
    ready.exceptionHandler(failure -> end(Answer.none(failure)));
    if (ended) {
      ready.reset();
      return;
    }
    if (!mayBeSent.getAsBoolean()) {
      end(Answer.notSent());
      ready.reset();
      return;
    }
    if (!bounds.serverName().isEmpty()) {
      ready.authority(HostAndPort.create(call.uri().getHost(), call.port()));
    }
    FlushGuard.onlyIf(mayBeSent, ready.connection());
    byte[] content = call.body();
    (content == null ? ready.send() : ready.send(Buffer.buffer(content)))
        .onComplete(this::answered);
  }

  private void answered(AsyncResult<HttpClientResponse> result) {
    if (result.failed()) {
      end(Answer.none(result.cause()));
      return;
    }
    HttpClientResponse response = result.result();
    if (connections != null) {
      connections.heard(response.request().connection());
    }
    response.exceptionHandler(failure -> end(Answer.none(failure)));
    response.handler(part -> orFail(() -> read(part)));
    response.endHandler(ignored -> orFail(() -> end(answer(response))));
  }

  /**
   * Adds a part to the body. The part is copied: its buffer belongs to the connection, and cannot
   * grow.
   */
  private void read(Buffer part) {
    if (ended) {
      return;
    }
    if ((long) body.length() + part.length() > bounds.longestBody()) {
      fail(new IOException("the response is longer than " + bounds.longestBody() + " bytes"));
    } else {
      body.appendBuffer(part);
    }
  }

  private Answer answer(HttpClientResponse response) {
    return new Answer(
        response.statusCode(), Answer.pause(response.getHeader("Retry-After")), body.getBytes());
  }

  /**
   * Runs a step of reading the response. If it fails, the request is answered at once; otherwise
   * the caller would wait for its time limit, and would not learn the reason.
   */
  private void orFail(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(Exception failure) {
    end(Answer.none(failure));
    abort();
  }

  private void expire(Duration limit) {
    if (connections != null) {
      connections.closeThoseSilentSince(begunAt);
    }
    end(Answer.none(new TimeoutException("no response within %d ms".formatted(limit.toMillis()))));
    abort();
  }

  private void abort() {
    if (request != null) {
      request.reset();
    }
  }

  private void end(Answer answer) {
    if (ended) {
      return;
    }
    ended = true;
    RequestLoop.vertx().cancelTimer(timer);
    onEnd.run();
    report(null);
    then.accept(answer);
  }
}
