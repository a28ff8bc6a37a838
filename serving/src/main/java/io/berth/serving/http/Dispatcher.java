package io.berth.serving.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** Passes requests from Jetty to virtual threads, each of which serves one {@link Exchange}. */
final class Dispatcher extends Handler.Abstract {
  private final ServerLimits limits;
  private final RequestHandler handler;
  private final Predicate<X509Certificate> isReplica;
  private final RequestsUnderWay underWay;
  private final IdleConnections connections;
  private final Executor threads;
  private volatile boolean lastAnswers;

  /**
   * @param threads starts a thread for each request
   */
  Dispatcher(
      ServerLimits limits,
      RequestHandler handler,
      Predicate<X509Certificate> isReplica,
      RequestsUnderWay underWay,
      IdleConnections connections,
      Executor threads) {
    this.threads = threads;
    this.limits = limits;
    this.handler = handler;
    this.isReplica = isReplica;
    this.underWay = underWay;
    this.connections = connections;
  }

  /** Makes HTTP/1.1 clients close their connections after the next response. */
  void askClientsToLeave() {
    lastAnswers = true;
  }

  /**
   * Starts a virtual thread for the request. Jetty calls this method on one of its few platform
   * threads, which a slow client must not occupy.
   */
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    long start = System.nanoTime();
    RequestHead head = head(request);
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    connections.requestBegan(endPoint);
    underWay.begin();
    Exchange exchange =
        new Exchange(
            head,
            request,
            response,
            callback,
            limits,
            handler,
            lastAnswers,
            complete -> {
              try {
                connections.requestEnded(endPoint, complete);
              } finally {
                underWay.end();
              }
              handler.answered(head, response.getStatus(), System.nanoTime() - start);
            });
    boolean started = false;
    try {
      threads.execute(exchange::serve);
      started = true;
    } finally {
      if (!started) { // such as after an OutOfMemoryError, for which Jetty answers
        exchange.abandon();
      }
    }
    return true;
  }

  private RequestHead head(Request request) {
    Map<String, List<String>> headers = new HashMap<>();
    for (HttpField field : request.getHeaders()) {
      headers.merge(
          field.getName().toLowerCase(Locale.ROOT),
          List.of(String.valueOf(field.getValue())),
          (before, more) -> {
            List<String> all = new ArrayList<>(before);
            all.addAll(more);
            return List.copyOf(all);
          });
    }
    return new RequestHead(
        request.getMethod(),
        Request.getPathInContext(request),
        Objects.requireNonNullElse(request.getHttpURI().getQuery(), ""),
        headers,
        client(request.getConnectionMetaData().getRemoteSocketAddress()),
        fromReplica(request));
  }

  /** Returns the address of a client; the loopback address if the connection has lost it. */
  static InetAddress client(SocketAddress address) {
    return address instanceof InetSocketAddress from && from.getAddress() != null
        ? from.getAddress()
        : InetAddress.getLoopbackAddress();
  }

  private boolean fromReplica(Request request) {
    return request.getAttribute(EndPoint.SslSessionData.ATTRIBUTE)
            instanceof EndPoint.SslSessionData session
        && session.peerCertificates() != null
        && session.peerCertificates().length > 0
        && isReplica.test(session.peerCertificates()[0]);
  }
}
