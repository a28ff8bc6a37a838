package io.berth.operator.api;

import io.fabric8.kubernetes.client.http.HttpClient.ProxyType;
import io.fabric8.kubernetes.client.http.TlsVersion;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SNIHostName;
import org.eclipse.jetty.client.Authentication;
import org.eclipse.jetty.client.BufferingResponseListener;
import org.eclipse.jetty.client.BytesRequestContent;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpProxy;
import org.eclipse.jetty.client.Origin;
import org.eclipse.jetty.client.ProxyConfiguration;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.Result;
import org.eclipse.jetty.client.Socks4Proxy;
import org.eclipse.jetty.client.Socks5;
import org.eclipse.jetty.client.Socks5Proxy;
import org.eclipse.jetty.client.WWWAuthenticationProtocolHandler;
import org.eclipse.jetty.client.transport.HttpClientConnectionFactory;
import org.eclipse.jetty.client.transport.HttpClientTransportDynamic;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.client.HTTP2Client;
import org.eclipse.jetty.http2.client.transport.ClientConnectionFactoryOverHTTP2;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection pool for the API server, or another service, that carries thousands of short
 * requests: Jetty's client, with HTTP/2 if the server supports it, else HTTP/1.1.
 *
 * <p>(1) Each request has one time limit that covers all phases. (2) If a request times out, every
 * connection that has received nothing since the request was sent is closed ({@link
 * HeardConnections}), and so is a connection whose TLS handshake stalls ({@link HandshakeLimit}).
 * (3) When the certificates change, a new set of connections replaces the current one, which is
 * closed after its last response.
 */
final class Connections implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  /** Shorter than the 90 s after which API servers close idle connections. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  /** A third of a request's time limit, so that later requests get a new connection. */
  private static final Duration HANDSHAKE = Duration.ofSeconds(5);

  private static final int MOST_QUEUED = 16_384;
  private static final long POOLED_BYTES = 8L << 20;

  private final ClusterAccess access;
  private final Bounds bounds;
  private final ClientSettings settings;
  private final HttpFields fixedHeaders;

  // Guarded by this.
  private @Nullable Generation current;
  private boolean closed;

  /** A client that is used until the certificates change; guarded by the enclosing instance. */
  private static final class Generation {
    private final HttpClient http;
    private final HeardConnections watched;
    private final long revision;
    private int underWay;
    private boolean retired;

    Generation(HttpClient http, HeardConnections watched, long revision) {
      this.http = http;
      this.watched = watched;
      this.revision = revision;
    }
  }

  /** A request without its credentials. */
  static final class Call {
    private final String method;
    private final URI uri;
    private final @Nullable String contentType;
    private final byte @Nullable [] body;

    Call(String method, URI uri, @Nullable String contentType, byte @Nullable [] body) {
      this.method = method;
      this.uri = uri;
      this.contentType = contentType;
      this.body = body;
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
  }

  /**
   * Sends a request.
   *
   * @param authorization the value of the Authorization header; empty for none
   * @param limit the time limit, after which the response counts as lost
   * @param mayBeSent evaluated right before the request is written; if false, it is not sent
   * @param then receives the answer, on one of Jetty's threads: it must not block
   */
  void send(
      Call call,
      String authorization,
      Duration limit,
      BooleanSupplier mayBeSent,
      Consumer<Answer> then) {
    Generation generation = take();
    if (generation == null) {
      then.accept(Answer.none(new IllegalStateException("the connections are closed")));
      return;
    }
    long sentAt = System.nanoTime();
    Request request =
        generation
            .http
            .newRequest(call.uri)
            .method(call.method)
            .timeout(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS)
            .headers(headers -> fill(headers, authorization))
            .onRequestBegin(
                begun -> {
                  if (!mayBeSent.getAsBoolean()) {
                    var _ = begun.abort(new NotSentException());
                  }
                });
    if (call.body != null && call.contentType != null) {
      request.body(new BytesRequestContent(call.contentType, call.body));
    }
    request.send(
        new BufferingResponseListener(bounds.longestBody()) {
          @Override
          public void onBegin(Response response) {
            generation.watched.heard(response.getRequest().getConnection());
          }

          @Override
          public void onComplete(Result result) {
            if (result.getFailure() instanceof TimeoutException) {
              generation.watched.closeThoseSilentSince(sentAt);
            }
            end(generation);
            then.accept(answer(result, getContent()));
          }
        });
  }

  private void fill(HttpFields.Mutable headers, String authorization) {
    headers.add(fixedHeaders);
    headers.put(HttpHeader.ACCEPT, "application/json");
    if (!authorization.isEmpty()) {
      headers.put(HttpHeader.AUTHORIZATION, authorization);
    }
  }

  private static Answer answer(Result result, byte @Nullable [] content) {
    Throwable failure = result.getFailure();
    if (failure instanceof NotSentException) {
      return Answer.notSent();
    }
    if (failure != null) {
      return Answer.none(failure);
    }
    Response response = result.getResponse();
    return new Answer(
        response.getStatus(),
        Answer.pause(response.getHeaders().get(HttpHeader.RETRY_AFTER)),
        content == null ? new byte[0] : content);
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
    if (generation == null || generation.revision != revision) {
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
      Thread.ofVirtual().name("close-connections").start(() -> stop(generation.http));
    }
  }

  private static void stop(HttpClient http) {
    try {
      http.stop();
    } catch (Exception e) {
      LOG.warn("Connections to the API server did not close cleanly", e);
    }
  }

  private Generation open(long revision) {
    VirtualThreadPool threads =
        new VirtualThreadPool(); // costs a third less CPU than Jetty's own pool
    threads.setName("api-connections");
    ClientConnector connector = new ClientConnector();
    connector.setSelectors(1);
    connector.setExecutor(threads);
    if (settings.getConnectTimeout() != null) {
      connector.setConnectTimeout(settings.getConnectTimeout());
    }
    HttpClientTransportDynamic transport = transport(connector);
    HeardConnections watched = new HeardConnections(bounds.most(), access.isSecure());
    transport.setConnectionPoolFactory(watched::pool);
    HttpClient http = new HttpClient(transport);
    http.addBean(new HandshakeLimit(HANDSHAKE, IDLE));
    http.setExecutor(threads);
    http.setScheduler(new ScheduledExecutorScheduler("api-timer", true));
    http.setByteBufferPool(new ArrayByteBufferPool(0, -1, -1, -1, POOLED_BYTES, POOLED_BYTES));
    http.setMaxConnectionsPerDestination(bounds.most());
    http.setMaxRequestsQueuedPerDestination(MOST_QUEUED);
    http.setIdleTimeout(IDLE.toMillis());
    http.setFollowRedirects(false);
    http.setUserAgentField(null);
    http.setHttpCookieStore(new HttpCookieStore.Empty());
    addProxy(http);
    if (bounds.offLocalLink()) {
      http.setSocketAddressResolver(
          new OffLocalLink(
              new SocketAddressResolver.Async(
                  http.getExecutor(), http.getScheduler(), http.getAddressResolutionTimeout())));
    }
    try {
      http.start();
    } catch (Exception e) {
      throw new IllegalStateException("the HTTP client could not start: " + e.getMessage(), e);
    }
    // A 401 is handled by the credentials; API servers send it without a challenge, which Jetty
    // rejects.
    http.getProtocolHandlers().remove(WWWAuthenticationProtocolHandler.NAME);
    http.getContentDecoderFactories().clear();
    return new Generation(http, watched, revision);
  }

  private void addProxy(HttpClient http) {
    InetSocketAddress address = settings.getProxyAddress();
    if (address == null || settings.getProxyType() == ProxyType.DIRECT) {
      return;
    }
    Origin.Address at = new Origin.Address(address.getHostString(), address.getPort());
    String authorization = settings.getProxyAuthorization();
    ProxyConfiguration.Proxy proxy =
        switch (settings.getProxyType()) {
          case SOCKS4 -> new Socks4Proxy(at, false);
          case SOCKS5 -> new Socks5Proxy(at, false);
          case HTTP, DIRECT -> new HttpProxy(at, false);
        };
    if (authorization != null && proxy instanceof HttpProxy) {
      http.getAuthenticationStore()
          .addAuthenticationResult(new ProxyAuthorization(proxy.getURI(), authorization));
    }
    if (authorization != null && proxy instanceof Socks5Proxy socks) {
      String[] account = HttpClientUtils.decodeBasicCredentials(authorization);
      if (account != null) {
        socks.putAuthenticationFactory(
            new Socks5.UsernamePasswordAuthenticationFactory(account[0], account[1]));
      }
    }
    http.getProxyConfiguration().addProxy(proxy);
  }

  /** Proxy credentials that are sent without waiting for a challenge. */
  private record ProxyAuthorization(URI uri, String value) implements Authentication.Result {
    @Override
    public URI getURI() {
      return uri;
    }

    @Override
    public void apply(Request request) {
      request.headers(headers -> headers.put(HttpHeader.PROXY_AUTHORIZATION, value));
    }
  }

  private HttpClientTransportDynamic transport(ClientConnector connector) {
    var one = HttpClientConnectionFactory.HTTP11;
    if (!access.isSecure()) {
      return new HttpClientTransportDynamic(connector, one);
    }
    SslContextFactory.Client tls = new SslContextFactory.Client();
    tls.setSslContext(access.tls().context());
    if (access.config().isTrustCerts() || access.config().isDisableHostnameVerification()) {
      tls.setEndpointIdentificationAlgorithm(null);
    }
    if (!bounds.serverName().isEmpty()) {
      tls.setSNIProvider((engine, names) -> List.of(new SNIHostName(bounds.serverName())));
    }
    if (settings.getTlsVersions() != null) {
      tls.setIncludeProtocols(
          Stream.of(settings.getTlsVersions()).map(TlsVersion::javaName).toArray(String[]::new));
    }
    connector.setSslContextFactory(tls);
    if (settings.isPreferHttp11()) {
      return new HttpClientTransportDynamic(connector, one);
    }
    var two = new ClientConnectionFactoryOverHTTP2.HTTP2(new HTTP2Client(connector));
    // The first protocol is used if the server does not negotiate; negotiation prefers HTTP/2.
    return new HttpClientTransportDynamic(connector, one, two);
  }
}
