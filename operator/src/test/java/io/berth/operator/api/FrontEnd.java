package io.berth.operator.api;

import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalPlan;
import io.berth.serving.tls.RenewalRules;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** A front end of an API server, with the protocols that a test selects. */
final class FrontEnd implements AutoCloseable {

  /** A recorded request. */
  record Asked(
      String method,
      String path,
      List<String> authorization,
      String protocol,
      String connection,
      String body) {}

  /** A response. */
  record Reply(int code, String body, List<String> retryAfter, int pieceBytes) {
    Reply(int code, String body, List<String> retryAfter) {
      this(code, body, retryAfter, Integer.MAX_VALUE);
    }

    static Reply of(int code, String body) {
      return new Reply(code, body, List.of());
    }

    /** Returns the same response with a body that is sent in pieces of this size. */
    Reply inPieces(int bytes) {
      return new Reply(code, body, retryAfter, bytes);
    }
  }

  /** The protocols of the front end. */
  enum Speaks {
    HTTP_1_IN_THE_CLEAR,
    HTTP_1,
    HTTP_2_ALONE,
    BOTH
  }

  private static final CertificateAuthority AUTHORITY =
      new CertificateAuthority(new SecureRandom());
  private static final RenewalRules RULES = RenewalRules.usual(List.of("127.0.0.1"));

  private final List<Asked> asked = new CopyOnWriteArrayList<>();
  private final LiveCertificate certificate = new LiveCertificate(newCertificate());
  private final AtomicReference<X509Certificate> shown = new AtomicReference<>();
  private final Server server = new Server();
  private final ServerConnector connector;
  private final boolean secure;

  FrontEnd(Speaks protocol, Function<Asked, Reply> script) throws Exception {
    this.secure = protocol != Speaks.HTTP_1_IN_THE_CLEAR;
    connector = new ServerConnector(server, 1, 1, protocols(protocol));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws IOException {
            Asked one =
                new Asked(
                    request.getMethod(),
                    request.getHttpURI().getPathQuery(),
                    request.getHeaders().getValuesList(HttpHeader.AUTHORIZATION),
                    request.getConnectionMetaData().getProtocol(),
                    request.getConnectionMetaData().getId(),
                    Content.Source.asString(request, StandardCharsets.UTF_8));
            asked.add(one);
            EndPoint.SslSessionData tls =
                request.getConnectionMetaData().getConnection().getEndPoint().getSslSessionData();
            if (tls != null && tls.peerCertificates() != null) {
              shown.set(tls.peerCertificates()[0]);
            }
            Reply reply = script.apply(one);
            response.setStatus(reply.code());
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "application/json");
            reply
                .retryAfter()
                .forEach(value -> response.getHeaders().put(HttpHeader.RETRY_AFTER, value));
            write(reply, response, callback);
            return true;
          }
        });
    server.start();
  }

  private static void write(Reply reply, Response response, Callback callback) throws IOException {
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    if (reply.pieceBytes() >= body.length) {
      Content.Sink.write(response, true, reply.body(), callback);
      return;
    }
    try (OutputStream pieces = Content.Sink.asOutputStream(response)) {
      for (int from = 0; from < body.length; from += reply.pieceBytes()) {
        pieces.write(body, from, Math.min(reply.pieceBytes(), body.length - from));
        pieces.flush();
      }
    }
    callback.succeeded();
  }

  int port() {
    return connector.getLocalPort();
  }

  String url() {
    return url(port());
  }

  /** The URL of this server through another port. */
  String url(int port) {
    return (secure ? "https" : "http") + "://127.0.0.1:" + port + "/";
  }

  List<Asked> asked() {
    return asked;
  }

  long connections() {
    return asked.stream().map(Asked::connection).distinct().count();
  }

  /** The last client certificate that was presented; empty if there was none. */
  Optional<X509Certificate> shownCertificate() {
    return Optional.ofNullable(shown.get());
  }

  /** The certificate in {@link #files()}. */
  X509Certificate certificate() {
    return certificate.state().serverChain().getFirst();
  }

  /** The server's certificate files, by their keys in a Secret; a client may present the same. */
  Map<String, String> files() {
    Map<String, String> files = new HashMap<>();
    certificate
        .state()
        .encode()
        .forEach(
            (name, data) ->
                files.put(
                    name, new String(Base64.getDecoder().decode(data), StandardCharsets.US_ASCII)));
    return files;
  }

  /** Writes the certificate of the server's CA. */
  void writeAuthority(Path file) throws IOException {
    Files.writeString(file, certificate.caBundle());
  }

  /** Switches to a certificate from another CA, and closes all connections. */
  void changeAuthority() {
    certificate.exchange(newCertificate());
    connector.getConnectedEndPoints().forEach(EndPoint::close);
  }

  /** Issues a new certificate from the same CA; open connections are kept. */
  void renewCertificate() {
    Instant now = Instant.now();
    certificate.exchange(
        certificate
            .state()
            .carryOut(new RenewalPlan.RenewServer("asked for by a test"), AUTHORITY, RULES, now));
  }

  @Override
  public void close() {
    LifeCycle.stop(server);
  }

  private ConnectionFactory[] protocols(Speaks protocol) {
    HttpConfiguration http = new HttpConfiguration();
    HttpConnectionFactory one = new HttpConnectionFactory(http);
    HTTP2ServerConnectionFactory two = new HTTP2ServerConnectionFactory(http);
    ALPNServerConnectionFactory choice =
        switch (protocol) {
          case HTTP_2_ALONE -> new ALPNServerConnectionFactory(two.getProtocol());
          default -> new ALPNServerConnectionFactory();
        };
    SslContextFactory.Server tls = new SslContextFactory.Server();
    tls.setSslContext(certificate.context());
    tls.setWantClientAuth(true);
    return switch (protocol) {
      case HTTP_1_IN_THE_CLEAR -> new ConnectionFactory[] {one};
      case HTTP_1 ->
          new ConnectionFactory[] {new SslConnectionFactory(tls, one.getProtocol()), one};
      case HTTP_2_ALONE ->
          new ConnectionFactory[] {
            new SslConnectionFactory(tls, choice.getProtocol()), choice, two
          };
      case BOTH ->
          new ConnectionFactory[] {
            new SslConnectionFactory(tls, choice.getProtocol()), choice, two, one
          };
    };
  }

  private static CertificateState newCertificate() {
    return CertificateState.begin(AUTHORITY, RULES, Instant.now());
  }
}
