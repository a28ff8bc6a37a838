package io.berth.operator.api;

import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection pool for the API server, or another service, that carries thousands of short
 * requests: Vert.x's client, with HTTP/2 if the server supports it, else HTTP/1.1.
 *
 * <p>(1) Each request has one time limit that covers all phases. (2) If a request times out, every
 * connection that has received nothing since the request was sent is closed ({@link
 * ConnectionActivity}), and so is a connection whose TLS handshake stalls. (3) When the
 * certificates change, or the server turns out to speak only HTTP/1.1, a new set of connections
 * replaces the current one, which is closed after its last response. (4) While no connection is
 * open, one request opens the first, and the others wait until it shows the protocol: the library's
 * pool would queue them behind the response to the first, if the server speaks only HTTP/1.1.
 */
final class Connections implements AutoCloseable {

  private final ClusterAccess access;
  private final Bounds bounds;
  private final ClientSettings settings;
  private final List<Map.Entry<String, String>> fixedHeaders;

  // Guarded by this.
  private @Nullable Generation current;

  /**
   * False once a connection has turned out to speak HTTP/1.1. A pool that prefers HTTP/2 never has
   * more than one connection.
   */
  private boolean http2;

  private boolean closed;

  // Used on the event loop only.

  /** True while a request opens the first connection. */
  private boolean opening;

  /** The requests that wait for the first connection. */
  private final ArrayDeque<Exchange> waiting = new ArrayDeque<>();

  /** A client that is used until the certificates change; guarded by the enclosing instance. */
  private static final class Generation {
    private final HttpClient http;
    private final ConnectionActivity watched;
    private final long revision;
    private final boolean http2;
    private int underWay;
    private boolean retired;

    Generation(HttpClient http, ConnectionActivity watched, long revision, boolean http2) {
      this.http = http;
      this.watched = watched;
      this.revision = revision;
      this.http2 = http2;
    }
  }

  /**
   * A request without its credentials.
   *
   * @param accept the value of the Accept header
   * @param contentType the type of the body; null if there is no body
   */
  @SuppressWarnings("ArrayRecordComponent") // a request is sent, and never compared
  record Call(
      String method, URI uri, String accept, @Nullable String contentType, byte @Nullable [] body) {
    static final String JSON = "application/json";

    /** The host of the URL, without the brackets around an IPv6 address. */
    String host() {
      String host = uri.getHost();
      return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    int port() {
      if (uri.getPort() >= 0) {
        return uri.getPort();
      }
      return "https".equals(uri.getScheme()) ? 443 : 80;
    }

    /** The path and the query of the URL. */
    String path() {
      String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
      return uri.getRawQuery() == null ? path : path + "?" + uri.getRawQuery();
    }
  }

  /**
   * Limits on connections, which are stricter for services other than the API server.
   *
   * @param most the maximum number of connections
   * @param longestBody the maximum size of a response body, in bytes; a response with a longer one
   *     counts as lost
   * @param serverName the name that the server's certificate must carry; empty for the host of the
   *     URL
   * @param offLocalLink whether to refuse link-local addresses, where cloud metadata services serve
   *     node credentials
   */
  record Bounds(int most, int longestBody, String serverName, boolean offLocalLink) {
    /** The limits for the API server. */
    static final Bounds API_SERVER = new Bounds(256, 16 << 20, "", false);
  }

  /** Creates a pool for the API server, without opening a connection. */
  Connections(ClusterAccess access) {
    this(access, Bounds.API_SERVER);
  }

  /** Creates a pool with these limits, without opening a connection. */
  Connections(ClusterAccess access, Bounds bounds) {
    this.access = access;
    this.bounds = bounds;
    this.settings = ClientSettings.of(access.config());
    this.fixedHeaders = settings.fixedHeaders(access.server());
    this.http2 = access.isSecure();
  }

  /**
   * Sends a request.
   *
   * @param authorization the value of the Authorization header; empty for none
   * @param limit the time limit, after which the response counts as lost
   * @param mayBeSent evaluated right before the request is written; if false, it is not sent
   * @param then receives the answer, on the event loop: it must not block
   */
  void send(
      Call call,
      String authorization,
      Duration limit,
      BooleanSupplier mayBeSent,
      Consumer<Answer> then) {
    if (call.uri().getHost() == null) {
      String problem = "the URL %s names no valid host".formatted(call.uri());
      refuse(new IllegalArgumentException(problem), then);
      return;
    }
    if (!bounds.offLocalLink()) {
      SocketAddress unresolved = SocketAddress.inetSocketAddress(call.port(), call.host());
      send(call, authorization, unresolved, limit, mayBeSent, then);
      return;
    }
    long deadline = System.nanoTime() + limit.toNanos();
    var _ =
        resolve(call, limit)
            .whenComplete(
                (at, failure) -> {
                  if (at == null) {
                    refuse(failure, then);
                  } else {
                    Duration left = Duration.ofNanos(deadline - System.nanoTime());
                    send(call, authorization, at, left, mayBeSent, then);
                  }
                });
  }

  /** Answers a request that cannot be sent, on the event loop like all others. */
  private static void refuse(Throwable failure, Consumer<Answer> then) {
    RequestLoop.run(() -> then.accept(Answer.none(failure)));
  }

  private static CompletableFuture<SocketAddress> resolve(Call call, Duration limit) {
    CompletableFuture<SocketAddress> resolved = new CompletableFuture<>();
    Runnable resolving =
        () -> {
          try {
            resolved.complete(
                SocketAddress.inetSocketAddress(OffLocalLink.resolve(call.host(), call.port())));
          } catch (IOException e) {
            resolved.completeExceptionally(e);
          }
        };
    Thread.ofVirtual().name("resolve").start(resolving); // it can block
    return resolved.orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void send(
      Call call,
      String authorization,
      SocketAddress at,
      Duration limit,
      BooleanSupplier mayBeSent,
      Consumer<Answer> then) {
    Exchange exchange =
        new Exchange(
            bounds, call, new Exchange.Head(fixedHeaders, authorization, at), mayBeSent, then);
    RequestLoop.run(
        () -> {
          exchange.begin(limit);
          dispatch(exchange);
        });
  }

  /** Sends a request, unless it has to wait for the first connection. */
  private void dispatch(Exchange exchange) {
    if (exchange.hasEnded()) {
      return;
    }
    Generation generation = take();
    if (generation == null) {
      exchange.refuse(new IllegalStateException("the connections are closed"));
      return;
    }
    boolean isFirst = generation.http2 && !generation.watched.anyIsOpen();
    if (isFirst && opening) {
      end(generation);
      if (waiting.size() < ConnectionOptions.MOST_QUEUED) {
        waiting.add(exchange);
      } else {
        exchange.refuse(new IOException("too many requests wait for a connection"));
      }
      return;
    }
    opening |= isFirst;
    exchange.sendOver(
        generation.http,
        generation.watched,
        version -> connected(generation, isFirst, version),
        () -> end(generation));
  }

  private void connected(Generation generation, boolean isFirst, @Nullable HttpVersion version) {
    if (version != null) {
      generation.watched.speaks(version);
    }
    if (!isFirst) {
      return;
    }
    opening = false;
    RequestLoop.run(this::dispatchWaiting);
  }

  /** Sends the requests that wait; without a connection, the first of them opens it. */
  private void dispatchWaiting() {
    for (int left = waiting.size(); left > 0 && !opening; left--) {
      dispatch(waiting.remove());
    }
  }

  /** Stops sending requests, and closes the connections after the last response. */
  @Override
  public synchronized void close() {
    closed = true;
    retire();
  }

  private synchronized @Nullable Generation take() {
    if (closed) {
      return null;
    }
    long revision = access.tls().revision();
    Generation generation = current;
    boolean fellBack = http2 && generation != null && generation.watched.speaksHttp1();
    if (generation == null || generation.revision != revision || fellBack) {
      http2 &= !fellBack;
      retire();
      generation = open(revision);
      current = generation;
    }
    generation.underWay++;
    return generation;
  }

  private synchronized void end(Generation generation) {
    generation.underWay--;
    stopIfDone(generation);
  }

  private synchronized void retire() {
    Generation retiring = current;
    current = null;
    if (retiring != null) {
      retiring.retired = true;
      stopIfDone(retiring);
    }
  }

  private static void stopIfDone(Generation generation) {
    if (generation.retired && generation.underWay == 0) {
      var _ = generation.http.close();
    }
  }

  private Generation open(long revision) {
    ConnectionActivity watched = new ConnectionActivity();
    HttpClient http =
        RequestLoop.vertx()
            .httpClientBuilder()
            .with(ConnectionOptions.of(access, settings, http2))
            .with(ConnectionOptions.pool(bounds))
            .withConnectHandler(watched::opened)
            .build();
    return new Generation(http, watched, revision, http2);
  }
}
