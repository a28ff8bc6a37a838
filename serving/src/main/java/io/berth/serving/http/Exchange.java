package io.berth.serving.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response, served on a virtual thread within the server's limits.
 *
 * <p>A request is one of those that wait until its body is complete, and one of those that run from
 * then on. So clients that send headers and no bodies use up nothing that complete requests need.
 * Of both, each address has a share. Probes are answered before all limits.
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  private final RequestHead head;
  private final Request request;
  private final Response response;
  private final ServerLimits limits;
  private final RequestHandler handler;
  private final boolean last;
  private final RequestBody body;

  /** Ends the exchange. Jetty or this class calls it. */
  private final Callback done;

  /** Gives everything back that the exchange holds; the first call counts. */
  private final Runnable end;

  private final AtomicBoolean over = new AtomicBoolean();

  private boolean waits;
  private boolean runs;
  private boolean slow;

  /**
   * @param callback notified when the exchange has ended
   * @param last whether to ask an HTTP/1.1 client to close the connection
   * @param ended called after everything that the exchange held was released, with whether the
   *     complete request was received
   */
  Exchange(
      RequestHead head,
      Request request,
      Response response,
      Callback callback,
      ServerLimits limits,
      RequestHandler handler,
      boolean last,
      Consumer<Boolean> ended) {
    this.head = head;
    this.request = request;
    this.response = response;
    this.limits = limits;
    this.handler = handler;
    this.last = last;
    this.body = new RequestBody(request, head.client(), limits);
    this.end =
        () -> {
          if (over.compareAndSet(false, true)) {
            release();
            ended.accept(body.isRead());
          }
        };
    this.done = Callback.from(callback, end);
  }

  /** Ends an exchange that was not served; its response is up to the caller. */
  void abandon() {
    end.run();
  }

  /** Serves the request; everything that it holds is released also after an {@link Error}. */
  void serve() {
    boolean handled = false;
    try {
      respond();
      handled = true;
    } catch (IOException | CompletionException e) {
      LOG.debug("{} closed the connection: {}", head.client(), e.getMessage());
      handled = true;
      done.failed(new EofException(e)); // which Jetty does not log
    } catch (InterruptedException | RuntimeException e) {
      LOG.error("Request {} {} failed", head.method(), head.path(), e);
      handled = true;
      done.failed(e);
    } finally {
      if (!handled) {
        done.failed(
            new IllegalStateException(
                "an Error ended the thread of " + head.method() + " " + head.path()));
      }
    }
  }

  private void respond() throws IOException, InterruptedException {
    Optional<HttpAnswer> probe = handler.probe(head);
    if (probe.isPresent()) {
      send(probe.get(), !body.isAbsent(), done);
      return;
    }
    if (!limits.settings().takesBodies() && !body.isAbsent()) {
      send(handler.refusal(head).orElseGet(Exchange::noBodies), true, done);
      return;
    }
    waits = limits.waiting().take(head.client(), 1);
    if (!waits) {
      send(busy("incomplete requests"), true, done);
      return;
    }
    HttpAnswer answer = answer();
    if (answer.stream().isPresent()) {
      stream(answer, answer.stream().get());
    } else if (body.isRead()) {
      send(answer, false, done);
    } else if (slow && isMultiplexed()) {
      // The stream is reset after the response, which costs the connection nothing.
      send(answer, true, done);
    } else {
      CompletableFuture<Void> sent = new CompletableFuture<>();
      send(answer, false, Callback.from(sent));
      body.discardRest();
      sent.join();
      done.succeeded();
    }
  }

  private HttpAnswer answer() throws IOException, InterruptedException {
    Optional<HttpAnswer> refusal = handler.refusal(head);
    return switch (body.read(refusal.isEmpty())) {
      case COMPLETE -> {
        stopWaiting();
        runs = limits.running().take(head.client(), 1);
        if (!runs) {
          yield busy("requests");
        }
        body.beginsToRun();
        HttpAnswer answer =
            refusal.isPresent() ? refusal.get() : handler.answer(head, body.bytes());
        // The next request of the client may begin as soon as the response is sent.
        body.close();
        yield answer;
      }
      case TOO_LARGE ->
          refusal.orElseGet(
              () ->
                  HttpAnswer.text(
                      413,
                      "the body exceeds the limit of %d bytes"
                          .formatted(limits.settings().maxBodyBytes())));
      case TOO_SLOW -> {
        slow = true;
        yield HttpAnswer.text(
            408,
            "the body was not received within %d s"
                .formatted(limits.settings().bodyTimeout().toSeconds()));
      }
      case NO_ROOM -> busy(body.isLarge() ? "large requests" : "requests");
    };
  }

  private static HttpAnswer noBodies() {
    return HttpAnswer.text(
        413, "this port answers requests without a body; send the request without one");
  }

  private HttpAnswer busy(String what) {
    return HttpAnswer.text(
            503,
            "too many %s of %s are in progress; try again"
                .formatted(what, head.client().getHostAddress()))
        .with("Retry-After", "1");
  }

  /**
   * Sends the response.
   *
   * @param unread whether the body is not going to be read, so that the connection of HTTP/1.1, or
   *     the stream of HTTP/2, is closed with the response
   */
  private void send(HttpAnswer answer, boolean unread, Callback sent) {
    head(answer, unread);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, answer.body().length);
    boolean empty = head.method().equals("HEAD");
    response.write(true, empty ? ByteBuffer.allocate(0) : ByteBuffer.wrap(answer.body()), sent);
  }

  private void head(HttpAnswer answer, boolean unread) {
    response.setStatus(answer.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, answer.contentType());
    answer.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    if ((last || unread) && !isMultiplexed()) {
      response.getHeaders().put(HttpHeader.CONNECTION, "close");
    }
  }

  /** Sends a response piece by piece; meanwhile, it is none of the requests that may run. */
  private void stream(HttpAnswer answer, StreamedBody streamed)
      throws IOException, InterruptedException {
    try (streamed) {
      stopRunning();
      head(answer, false);
      ClientStream client = new ClientStream(request, response, HttpServer.WRITE_STALL);
      client.write(new byte[0]); // the client gets the headers at once
      streamed.write(client);
      client.end();
    }
    done.succeeded();
  }

  private boolean isMultiplexed() {
    return request.getConnectionMetaData().getHttpVersion().compareTo(HttpVersion.HTTP_2) >= 0;
  }

  private void stopWaiting() {
    if (waits) {
      waits = false;
      limits.waiting().giveBack(head.client(), 1);
    }
  }

  private void release() {
    body.close();
    stopWaiting();
    stopRunning();
  }

  private void stopRunning() {
    if (runs) {
      runs = false;
      limits.running().giveBack(head.client(), 1);
    }
  }
}
