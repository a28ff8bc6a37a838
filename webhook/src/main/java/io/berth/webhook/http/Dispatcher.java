package io.berth.webhook.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Passes requests from Jetty to the handler, and enforces the server's limits. */
final class Dispatcher extends Handler.Abstract {
  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private final ServerSettings settings;
  private final RequestHandler handler;
  private final Predicate<X509Certificate> isReplica;
  private final BodyBudget budget;
  private final ReadRate discarding;

  /** Held while a chunk of a large body is read. */
  private final Semaphore largeReads = new Semaphore(1, true);

  private final RequestsUnderWay underWay;
  private final IdleConnections connections;
  private volatile boolean lastAnswers;

  Dispatcher(
      ServerSettings settings,
      RequestHandler handler,
      Predicate<X509Certificate> isReplica,
      BodyBudget budget,
      RequestsUnderWay underWay,
      IdleConnections connections) {
    this.settings = settings;
    this.handler = handler;
    this.isReplica = isReplica;
    this.budget = budget;
    this.discarding = new ReadRate(settings.discardedBytesPerSecond(), System::nanoTime);
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
    boolean room = underWay.begin();
    RequestBody body = new RequestBody(request, settings, budget, discarding, largeReads);
    Callback done =
        Callback.from(
            callback,
            () -> {
              body.close();
              connections.requestEnded(endPoint);
              underWay.end();
              handler.answered(head, response.getStatus(), System.nanoTime() - start);
            });
    var _ = Thread.startVirtualThread(() -> serve(head, body, room, request, response, done));
    return true;
  }

  private void serve(
      RequestHead head,
      RequestBody body,
      boolean room,
      Request request,
      Response response,
      Callback done) {
    try {
      HttpAnswer answer = room ? answer(head, body) : busy("requests");
      if (body.isRead()) {
        send(head, request, response, answer, done);
      } else {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        send(head, request, response, answer, Callback.from(sent));
        body.discardRest();
        sent.join();
        done.succeeded();
      }
    } catch (IOException | CompletionException e) {
      LOG.debug("{} closed the connection: {}", head.client(), e.getMessage());
      done.failed(new EofException(e)); // which Jetty does not log
    } catch (InterruptedException | RuntimeException e) {
      LOG.error("Request {} {} failed", head.method(), head.path(), e);
      done.failed(e);
    }
  }

  private HttpAnswer answer(RequestHead head, RequestBody body)
      throws IOException, InterruptedException {
    Optional<HttpAnswer> refusal = handler.refusal(head);
    return switch (body.read(refusal.isEmpty())) {
      case COMPLETE -> refusal.isPresent() ? refusal.get() : handler.answer(head, body.bytes());
      case TOO_LARGE ->
          refusal.orElseGet(
              () ->
                  HttpAnswer.text(
                      413,
                      "the body exceeds the limit of %d bytes".formatted(settings.maxBodyBytes())));
      case TOO_SLOW ->
          HttpAnswer.text(
              408,
              "the body was not received within %d s"
                  .formatted(settings.bodyTimeout().toSeconds()));
      case NO_ROOM -> busy("large requests");
    };
  }

  private static HttpAnswer busy(String what) {
    return HttpAnswer.text(503, "too many " + what + " are in progress; try again")
        .with("Retry-After", "1");
  }

  private void send(
      RequestHead head, Request request, Response response, HttpAnswer answer, Callback done) {
    boolean multiplexed =
        request.getConnectionMetaData().getHttpVersion().compareTo(HttpVersion.HTTP_2) >= 0;
    response.setStatus(answer.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.contentType());
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.body().length);
    answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    if (lastAnswers && !multiplexed) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
    }
    boolean empty = head.method().equals("HEAD");
    response.write(true, empty ? ByteBuffer.allocate(0) : ByteBuffer.wrap(answer.body()), done);
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
        client(request),
        fromReplica(request));
  }

  private static InetAddress client(Request request) {
    return request.getConnectionMetaData().getRemoteSocketAddress()
                instanceof InetSocketAddress from
            && from.getAddress() != null
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
