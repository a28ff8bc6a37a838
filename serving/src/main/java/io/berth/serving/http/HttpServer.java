package io.berth.serving.http;

import io.berth.serving.tls.ClientAuthority;
import io.berth.serving.tls.LiveCertificate;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.component.Graceful;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server with its own limits: HTTP/2 and HTTP/1.1 over TLS, or plaintext HTTP/1.1. It uses
 * Jetty and handles each request on a virtual thread.
 *
 * <p>A graceful shutdown has two steps. {@link #askClientsToLeave} prepares clients to move to
 * other replicas while all requests are still served. {@link #stop} then rejects new connections,
 * sends GOAWAY to HTTP/2 clients, waits for requests in progress, and closes all connections.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /**
   * The connections that wait in the kernel until they are accepted. Beyond them, the kernel drops
   * what a client sends to connect, and the client tries it again after a second, which is the
   * usual timeout of a probe. Without handshakes, more are accepted in the same time.
   */
  private static final int BACKLOG = 256;

  private static final int PLAIN_BACKLOG = 1024;
  private static final int HEADER_BYTES = 16 << 10;
  private static final int STREAMS_A_CONNECTION = 256;
  private static final int STREAM_WINDOW_BYTES = 128 << 10;
  private static final int CONNECTION_WINDOW_BYTES = 512 << 10;
  private static final long POOLED_BYTES = 8L << 20;

  /**
   * Limits what the kernel receives for one connection before the server reads it. By default, it
   * is up to 6 MiB, which counts toward the memory limit of the container.
   */
  private static final int RECEIVE_BUFFER_BYTES = 64 << 10;

  private static final int THREADS = 16;

  /** The maximum time that a client may need to take a part of a response. */
  static final Duration WRITE_STALL = Duration.ofSeconds(10);

  private final Server server;
  private final ServerConnector connector;
  private final Dispatcher dispatcher;
  private final RequestsUnderWay underWay;
  private final int port;

  private HttpServer(
      Server server, ServerConnector connector, Dispatcher dispatcher, RequestsUnderWay underWay) {
    this.server = server;
    this.port = connector.getLocalPort();
    this.connector = connector;
    this.dispatcher = dispatcher;
    this.underWay = underWay;
  }

  /**
   * Starts a server on all addresses.
   *
   * @param certificate the certificate to present, which also identifies clients that are replicas;
   *     if empty, the server uses plaintext
   * @throws PortTakenException if the port is in use
   * @throws IOException if the server cannot listen on the port for another reason
   */
  public static HttpServer start(
      ServerSettings settings, Optional<LiveCertificate> certificate, RequestHandler handler)
      throws IOException {
    return start(settings, Optional.empty(), certificate, Optional.empty(), handler);
  }

  /**
   * Starts a server on all addresses that serves only clients with a certificate.
   *
   * @param clients the authority of the clients' certificates; replicas are served as well
   * @throws PortTakenException if the port is in use
   * @throws IOException if the server cannot listen on the port for another reason
   */
  public static HttpServer startForClients(
      ServerSettings settings,
      LiveCertificate certificate,
      ClientAuthority clients,
      RequestHandler handler)
      throws IOException {
    return start(
        settings, Optional.empty(), Optional.of(certificate), Optional.of(clients), handler);
  }

  /**
   * Starts a server on the loopback address, for clients in this process.
   *
   * @throws IOException if the server cannot listen on the port
   */
  public static HttpServer startOnLoopback(
      ServerSettings settings, LiveCertificate certificate, RequestHandler handler)
      throws IOException {
    return start(
        settings,
        Optional.of(InetAddress.getLoopbackAddress().getHostAddress()),
        Optional.of(certificate),
        Optional.empty(),
        handler);
  }

  private static HttpServer start(
      ServerSettings settings,
      Optional<String> address,
      Optional<LiveCertificate> certificate,
      Optional<ClientAuthority> clients,
      RequestHandler handler)
      throws IOException {
    QueuedThreadPool threads = new QueuedThreadPool(THREADS, 2);
    threads.setName("http-" + settings.portOption().replace("--", ""));
    threads.setDaemon(true);
    Server server =
        new Server(
            threads,
            new ScheduledExecutorScheduler(threads.getName() + "-timer", true),
            new ArrayByteBufferPool(0, -1, -1, -1, POOLED_BYTES, POOLED_BYTES));
    ServerConnector connector =
        new ServerConnector(
            server,
            1,
            1,
            protocols(settings, certificate, clients).toArray(ConnectionFactory[]::new));
    address.ifPresent(connector::setHost);
    connector.setPort(settings.port());
    connector.setAcceptQueueSize(certificate.isPresent() ? BACKLOG : PLAIN_BACKLOG);
    connector.setReuseAddress(true);
    connector.setAcceptedReceiveBufferSize(RECEIVE_BUFFER_BYTES);
    connector.setIdleTimeout(settings.idleTimeout().toMillis());
    IdleConnections connections = new IdleConnections(settings, new ConnectorIntake(connector));
    connector.addBean(connections);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(settings.maxConnections(), connector));
    RequestsUnderWay underWay = new RequestsUnderWay();
    Dispatcher dispatcher =
        new Dispatcher(
            ServerLimits.of(settings),
            handler,
            peer -> certificate.isPresent() && certificate.get().isReplica(peer),
            underWay,
            connections,
            Thread::startVirtualThread);
    server.setHandler(dispatcher);
    start(server, settings);
    HttpServer started = new HttpServer(server, connector, dispatcher, underWay);
    started.sweep(connections);
    return started;
  }

  /** Returns the port on which the server listens. */
  public int port() {
    return port;
  }

  /**
   * Makes HTTP/1.1 clients close their connections after the next response, so that {@link #stop}
   * does not close a connection on which a request is being sent.
   */
  public void askClientsToLeave() {
    dispatcher.askClientsToLeave();
  }

  /**
   * Stops the server: rejects new connections, waits for requests in progress, then closes all
   * connections.
   *
   * @param patience the maximum time to wait for requests in progress
   * @return whether all of them finished
   */
  public boolean stop(Duration patience) {
    dispatcher.askClientsToLeave();
    // Connections with a response in progress are not idle.
    connector.setShutdownIdleTimeout(patience.plus(WRITE_STALL).toMillis());
    var _ = Graceful.shutdown(server); // requests in progress are awaited below
    boolean finished = false;
    try {
      finished = underWay.awaitNone(patience);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    try {
      server.setStopTimeout(0);
      server.stop();
    } catch (Exception e) {
      LOG.warn("The server on port {} did not stop cleanly", port, e);
    }
    return finished;
  }

  /** Stops the server without waiting for requests in progress. */
  @Override
  public void close() {
    stop(Duration.ZERO);
  }

  private static void start(Server server, ServerSettings settings) throws IOException {
    try {
      server.start();
    } catch (Exception e) {
      try {
        server.stop();
      } catch (Exception suppressed) {
        e.addSuppressed(suppressed);
      }
      if (e.getCause() instanceof BindException || e instanceof BindException) {
        throw new PortTakenException(settings.port(), settings.portOption(), e);
      }
      throw e instanceof IOException failure
          ? failure
          : new IOException("the HTTP server did not start: " + e.getMessage(), e);
    }
  }

  private record ConnectorIntake(ServerConnector connector) implements IdleConnections.Intake {
    private static final long ROUND_MILLIS = 10;

    @Override
    public void setAccepting(boolean accepting) {
      connector.setAccepting(accepting);
    }

    @Override
    public void afterRound(Runnable task) {
      connector
          .getScheduler()
          .schedule(
              () ->
                  connector
                      .getSelectorManager()
                      .getBean(ManagedSelector.class)
                      .submit(selector -> connector.getExecutor().execute(task)),
              ROUND_MILLIS,
              TimeUnit.MILLISECONDS);
    }
  }

  private void sweep(IdleConnections connections) {
    server
        .getScheduler()
        .schedule(
            () -> {
              connections.closeOver();
              if (server.isRunning()) {
                sweep(connections);
              }
            },
            1,
            TimeUnit.SECONDS);
  }

  private static List<ConnectionFactory> protocols(
      ServerSettings settings,
      Optional<LiveCertificate> certificate,
      Optional<ClientAuthority> clients) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setRequestHeaderSize(HEADER_BYTES);
    // Bodies have their own timeout, which is shorter.
    http.setIdleTimeout(settings.bodyTimeout().plus(WRITE_STALL).toMillis());
    HttpConnectionFactory one = new HttpConnectionFactory(http);
    if (certificate.isEmpty()) {
      return List.of(one);
    }
    // Clients connect by Service name or by address, so they check the name and the server does
    // not.
    http.addCustomizer(new SecureRequestCustomizer(false));
    HTTP2ServerConnectionFactory two = new HTTP2ServerConnectionFactory(http);
    two.setMaxConcurrentStreams(STREAMS_A_CONNECTION);
    two.setInitialStreamRecvWindow(STREAM_WINDOW_BYTES);
    two.setInitialSessionRecvWindow(CONNECTION_WINDOW_BYTES);
    ALPNServerConnectionFactory choice = new ALPNServerConnectionFactory();
    choice.setDefaultProtocol(one.getProtocol());
    SslContextFactory.Server tls = new SslContextFactory.Server();
    LiveCertificate own = certificate.get();
    tls.setSslContext(clients.map(own::contextFor).orElseGet(own::context));
    tls.setIncludeProtocols("TLSv1.3", "TLSv1.2");
    tls.setWantClientAuth(true);
    tls.setNeedClientAuth(clients.isPresent());
    return List.of(new SslConnectionFactory(tls, choice.getProtocol()), choice, two, one);
  }
}
