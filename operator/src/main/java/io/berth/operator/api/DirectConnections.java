package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.fabric8.kubernetes.client.utils.HttpClientUtils;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Connections of our own to the API server, for short requests by the thousand: HTTP/1.1, one
 * request at a time on each, kept open in between.
 *
 * <p>Why not the client's: a request through its layers takes several times the processor that a
 * Binding takes otherwise, and as much again while the JVM compiles them. Who we are and whom we
 * trust stays the client's business: its interceptors give the headers, its configuration the TLS
 * context. What this cannot do (proxies, a token that is to be renewed) is left to the client.
 */
final class DirectConnections implements AutoCloseable {

  /** API servers close connections that were idle for 90 s. */
  private static final Duration IDLE = Duration.ofSeconds(60);

  private final URI server;
  private final int port;
  private final @Nullable SSLSocketFactory tls;
  private final boolean verifyHost;
  private final Duration timeout;
  private final int connectMillis;
  private final List<Interceptor> interceptors;
  private final HttpRequest anyRequest;

  // Guarded by this.
  private final ArrayDeque<DirectConnection> idle = new ArrayDeque<>();
  private boolean closed;

  private DirectConnections(
      KubernetesClient client, URI server, @Nullable SSLSocketFactory tls, Duration timeout) {
    Config config = client.getConfiguration();
    this.server = server;
    this.port = server.getPort() >= 0 ? server.getPort() : tls == null ? 80 : 443;
    this.tls = tls;
    this.verifyHost = !config.isTrustCerts() && !config.isDisableHostnameVerification();
    this.timeout = timeout;
    this.connectMillis = config.getConnectionTimeout();
    this.interceptors =
        List.copyOf(
            HttpClientUtils.createApplicableInterceptors(
                    config, HttpClientUtils.getHttpClientFactory())
                .values());
    this.anyRequest = client.getHttpClient().newHttpRequestBuilder().uri(server).build();
  }

  /**
   * Connections to the client's API server; none is opened yet.
   *
   * @param timeout after which an answer counts as lost
   * @return empty where only the client knows the way
   */
  static Optional<DirectConnections> of(KubernetesClient client, Duration timeout) {
    Config config = client.getConfiguration();
    boolean proxied =
        Stream.of(config.getHttpProxy(), config.getHttpsProxy())
            .anyMatch(proxy -> proxy != null && !proxy.isBlank());
    URI server = URI.create(client.getMasterUrl().toString());
    if (proxied || server.getHost() == null) {
      return Optional.empty();
    }
    SSLSocketFactory tls = null;
    if ("https".equals(server.getScheme())) {
      try {
        SSLContext context = SSLUtils.sslContext(config);
        tls = context.getSocketFactory();
      } catch (GeneralSecurityException | IOException e) {
        return Optional.empty(); // the client meets the same trouble, and says so
      }
    }
    return Optional.of(new DirectConnections(client, server, tls, timeout));
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @param mayBeSent asked when the request is about to be written
   * @throws IOException when no answer came; nobody knows then what the server did
   */
  Answer exchange(
      String method,
      String path,
      @Nullable String contentType,
      byte @Nullable [] body,
      BooleanSupplier mayBeSent)
      throws IOException {
    byte[] head = head(method, path, contentType, body == null ? 0 : body.length);
    DirectConnection connection = take();
    boolean reusable = false;
    try {
      if (!mayBeSent.getAsBoolean()) {
        return Answer.notSent();
      }
      Answer answer = connection.exchange(head, body);
      reusable = connection.staysOpen();
      return answer;
    } finally {
      give(connection, reusable);
    }
  }

  @Override
  public void close() {
    List<DirectConnection> all;
    synchronized (this) {
      closed = true;
      all = List.copyOf(idle);
      idle.clear();
    }
    all.forEach(DirectConnection::close);
  }

  private DirectConnection take() throws IOException {
    while (true) {
      DirectConnection connection;
      synchronized (this) {
        if (closed) {
          throw new IOException("the connections are closed");
        }
        connection = idle.pollLast();
      }
      if (connection == null) {
        return open();
      }
      if (connection.idleNanos() < IDLE.toNanos()) {
        return connection;
      }
      connection.close();
    }
  }

  private void give(DirectConnection connection, boolean reusable) {
    synchronized (this) {
      if (reusable && !closed) {
        idle.addLast(connection);
        return;
      }
    }
    connection.close();
  }

  private DirectConnection open() throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, timeout.toMillis()));
      socket.connect(new InetSocketAddress(host(), port), Math.max(0, connectMillis));
      return new DirectConnection(tls == null ? socket : secured(tls, socket));
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private Socket secured(SSLSocketFactory factory, Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, host(), port, true);
    if (verifyHost) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
    }
    socket.startHandshake();
    return socket;
  }

  private String host() {
    String host = server.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private byte[] head(String method, String path, @Nullable String contentType, int length) {
    Head head = new Head();
    head.header("Host", server.getHost() + ":" + port);
    head.header("Accept", "application/json");
    interceptors.forEach(interceptor -> interceptor.before(head, anyRequest, NO_TAGS));
    if (contentType != null) {
      head.header("Content-Type", contentType);
      head.header("Content-Length", String.valueOf(length));
    }
    StringBuilder text = new StringBuilder(512);
    text.append(method).append(' ').append(prefix()).append(path).append(" HTTP/1.1\r\n");
    head.values.forEach(
        (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
    return text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private String prefix() {
    String path = server.getRawPath() == null ? "" : server.getRawPath();
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private static final Interceptor.RequestTags NO_TAGS =
      new Interceptor.RequestTags() {
        @Override
        public <T> @Nullable T getTag(Class<T> type) {
          return null;
        }
      };

  /** Takes the headers that the client's interceptors give. */
  private static final class Head implements BasicBuilder {
    /** Headers by name; one that is set replaces what was given before. */
    private final Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    @Override
    public BasicBuilder uri(URI uri) {
      return this;
    }

    @Override
    public BasicBuilder header(String name, String value) {
      values.merge(name, value, (one, other) -> one + ", " + other);
      return this;
    }

    @Override
    public BasicBuilder setHeader(String name, String value) {
      values.put(name, value);
      return this;
    }
  }
}
