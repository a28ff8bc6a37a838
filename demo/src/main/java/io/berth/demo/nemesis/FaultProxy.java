package io.berth.demo.nemesis;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.TrustOptions;
import java.net.URI;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509KeyManager;

/**
 * An HTTPS proxy in front of an API server that injects faults: depending on its {@link Weather},
 * requests are delayed, rejected with 429 or 500, or executed but answered with 504.
 */
final class FaultProxy implements AutoCloseable {
  private static final String HOST = "127.0.0.1";
  private static final int CONNECTIONS = 200;
  private static final int DEFAULT_HTTPS_PORT = 443;
  private static final Set<HttpMethod> READS = Set.of(HttpMethod.GET, HttpMethod.HEAD);

  /** Headers that apply to a single connection only. */
  private static final Set<String> HOP_BY_HOP =
      Set.of("connection", "keep-alive", "transfer-encoding", "upgrade", "host", "http2-settings");

  private final HttpServer server;
  private final HttpClient client;
  private final URI apiServer;
  private final Vertx vertx;
  private final Random random;
  private final Map<Refusal, AtomicLong> refused = new EnumMap<>(Refusal.class);
  private final AtomicLong bindings = new AtomicLong();
  private volatile Weather weather = Weather.CLEAR;

  /** An injected error response. */
  enum Refusal {
    THROTTLED(429, "TooManyRequests"),
    FAILED(500, "InternalError"),
    LOST(504, "Timeout");

    private final int code;
    private final String reason;

    Refusal(int code, String reason) {
      this.code = code;
      this.reason = reason;
    }
  }

  FaultProxy(Vertx vertx, URI apiServer, TrustManager trust, X509KeyManager keys, long seed) {
    this.vertx = vertx;
    this.apiServer = apiServer;
    this.random = new Random(seed);
    for (Refusal refusal : Refusal.values()) {
      refused.put(refusal, new AtomicLong());
    }
    this.client =
        vertx.createHttpClient(
            new HttpClientOptions().setSsl(true).setTrustOptions(TrustOptions.wrap(trust)),
            new PoolOptions().setHttp1MaxSize(CONNECTIONS));
    this.server =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setSsl(true)
                    .setUseAlpn(true)
                    .setKeyCertOptions(KeyCertOptions.wrap(keys)))
            .requestHandler(this::receive);
    Vertxes.await(server.listen(0, HOST));
  }

  int port() {
    return server.actualPort();
  }

  void weather(Weather now) {
    weather = now;
  }

  /** Returns the number of requests that got this response. */
  long refused(Refusal refusal) {
    return refused.get(refusal).get();
  }

  /** Returns the number of Binding requests received. */
  long bindings() {
    return bindings.get();
  }

  @Override
  public void close() {
    Vertxes.await(server.close());
    Vertxes.await(client.close());
  }

  private void receive(HttpServerRequest request) {
    if ("websocket".equalsIgnoreCase(request.getHeader(HttpHeaders.UPGRADE))) {
      request
          .response()
          .end(); // declined: the client continues with a plain watch, which is supported
      return;
    }
    if (request.method().equals(HttpMethod.POST) && request.path().endsWith("/binding")) {
      bindings.incrementAndGet();
    }
    Weather now = weather;
    request.pause();
    long longest = now.longestDelay().toMillis();
    if (longest > 0) {
      vertx.setTimer(1 + random.nextLong(longest), fired -> judge(request, now));
    } else {
      judge(request, now);
    }
  }

  private void judge(HttpServerRequest request, Weather now) {
    boolean read = READS.contains(request.method());
    if (random.nextDouble() < now.throttled()) {
      refuse(request, Refusal.THROTTLED);
    } else if (random.nextDouble() < now.failed()) {
      refuse(request, Refusal.FAILED);
    } else {
      pass(request, !read && random.nextDouble() < now.lost());
    }
  }

  /** Reads the rest of the request, so that the connection stays usable, and rejects it. */
  private void refuse(HttpServerRequest request, Refusal refusal) {
    request.resume();
    request.end().onSuccess(read -> answer(request.response(), refusal));
  }

  private void answer(HttpServerResponse response, Refusal refusal) {
    refused.get(refusal).incrementAndGet();
    if (refusal == Refusal.THROTTLED) {
      response.putHeader(HttpHeaders.RETRY_AFTER, "1");
    }
    end(
        response,
        refusal.code,
        """
        {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",\
        "message":"rejected by the fault proxy","reason":"%s","code":%d}
        """
            .formatted(refusal.reason, refusal.code));
  }

  private static void end(HttpServerResponse response, int code, String status) {
    if (!response.ended() && !response.closed()) {
      response
          .setStatusCode(code)
          .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
          .end(Buffer.buffer(status));
    }
  }

  private void pass(HttpServerRequest request, boolean lose) {
    int port = apiServer.getPort() < 0 ? DEFAULT_HTTPS_PORT : apiServer.getPort();
    RequestOptions options =
        new RequestOptions()
            .setMethod(request.method())
            .setHost(apiServer.getHost())
            .setPort(port)
            .setURI(request.uri());
    client
        .request(options)
        .compose(
            onward -> {
              copy(request.headers(), onward.headers());
              request.response().closeHandler(gone -> onward.reset());
              return READS.contains(request.method()) ? onward.send() : onward.send(request);
            })
        .onSuccess(answer -> comeBack(answer, request, lose))
        .onFailure(broken -> request.connection().close());
  }

  private void comeBack(HttpClientResponse answer, HttpServerRequest request, boolean lose) {
    HttpServerResponse response = request.response();
    if (lose) {
      answer.resume();
      answer.end().onSuccess(read -> answer(response, Refusal.LOST));
      return;
    }
    response.setStatusCode(answer.statusCode());
    copy(answer.headers(), response.headers());
    if (!answer.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
      response.setChunked(true);
      response.write(
          Buffer.buffer()); // send the headers immediately: a watch may have no events for minutes
    }
    // A truncated response must not look like a complete one.
    answer
        .pipe()
        .endOnFailure(false)
        .to(response)
        .onFailure(broken -> request.connection().close());
  }

  private static void copy(MultiMap from, MultiMap to) {
    from.forEach(
        header -> {
          if (!HOP_BY_HOP.contains(header.getKey().toLowerCase(Locale.ROOT))) {
            to.add(header.getKey(), header.getValue());
          }
        });
  }
}
