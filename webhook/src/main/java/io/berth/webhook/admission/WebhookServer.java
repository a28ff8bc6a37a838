package io.berth.webhook.admission;

import io.berth.serving.http.ClientAllowance;
import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.PortTakenException;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.RequestObserver;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.ClientAuthority;
import io.berth.serving.tls.LiveCertificate;
import io.berth.webhook.binding.LookupAllowance;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The HTTPS endpoint to which API servers send AdmissionReviews. */
public final class WebhookServer implements AutoCloseable {
  /** The look-ups at the API server that the reviews of one address may cause at once. */
  static final int LOOKUPS_AT_ONCE = 500;

  /** The time after which an address may cause another look-up. */
  static final Duration LOOKUP_EVERY = Duration.ofMillis(10);

  private final HttpServer server;

  private WebhookServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts a server on all addresses, to which every client may send reviews.
   *
   * @throws PortTakenException if the port is in use
   * @throws IOException if the server cannot listen on the port for another reason
   */
  public static WebhookServer start(
      ServerSettings settings,
      LiveCertificate certificate,
      AdmissionService service,
      RequestObserver observer)
      throws IOException {
    return start(settings, certificate, Optional.empty(), service, observer);
  }

  /**
   * Starts a server on all addresses.
   *
   * @param certificate the certificate to present
   * @param clients the authority that signs the certificates of API servers; if empty, clients need
   *     no certificate
   * @throws PortTakenException if the port is in use
   * @throws IOException if the server cannot listen on the port for another reason
   */
  public static WebhookServer start(
      ServerSettings settings,
      LiveCertificate certificate,
      Optional<ClientAuthority> clients,
      AdmissionService service,
      RequestObserver observer)
      throws IOException {
    Reviews reviews =
        new Reviews(
            service,
            observer,
            new ClientAllowance(LOOKUPS_AT_ONCE, LOOKUP_EVERY, InstantSource.system()));
    return new WebhookServer(
        clients.isPresent()
            ? HttpServer.startForClients(settings, certificate, clients.get(), reviews)
            : HttpServer.start(settings, Optional.of(certificate), reviews));
  }

  /** Returns the port on which the server listens. */
  public int port() {
    return server.port();
  }

  /** Makes HTTP/1.1 clients close their connections after the next response. */
  public void askClientsToLeave() {
    server.askClientsToLeave();
  }

  /** Stops the server, see {@link HttpServer#stop}. */
  public boolean stop(Duration patience) {
    return server.stop(patience);
  }

  /** Stops the server without waiting for requests in progress. */
  @Override
  public void close() {
    server.close();
  }

  private record Reviews(
      AdmissionService service, RequestObserver observer, ClientAllowance lookups)
      implements RequestHandler {

    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      if (AdmissionPath.of(head.path()).isEmpty()) {
        return Optional.of(
            HttpAnswer.text(
                404,
                "unknown path; AdmissionReviews are accepted at "
                    + Arrays.stream(AdmissionPath.values())
                        .map(AdmissionPath::path)
                        .collect(Collectors.joining(", "))));
      }
      if (!head.method().equals("POST")) {
        return Optional.of(
            HttpAnswer.text(405, "send an AdmissionReview by POST, not by " + head.method())
                .with("Allow", "POST"));
      }
      if (!isJson(head)) {
        return Optional.of(
            HttpAnswer.text(415, "send an AdmissionReview with Content-Type: application/json"));
      }
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      AdmissionPath path = AdmissionPath.of(head.path()).orElseThrow();
      try {
        return new HttpAnswer(200, "application/json", review(path, head, body));
      } catch (BadReviewException e) {
        return HttpAnswer.text(400, String.valueOf(e.getMessage()));
      } catch (RuntimeException e) {
        // The service has already notified its observer, and the API server applies failurePolicy.
        return HttpAnswer.text(
            500, "internal error in Berth (" + e.getClass().getSimpleName() + "); see Berth's log");
      }
    }

    private byte[] review(AdmissionPath path, RequestHead head, byte[] body)
        throws BadReviewException {
      return LookupAllowance.within(
          () -> lookups.take(head.client()), () -> service.review(path, body));
    }

    @Override
    public void answered(RequestHead head, int status, long nanos) {
      observer.answered(
          AdmissionPath.of(head.path()).map(AdmissionPath::path).orElse("other"), status, nanos);
    }

    private static boolean isJson(RequestHead head) {
      return head.header("Content-Type")
          .map(type -> type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip())
          .filter("application/json"::equals)
          .isPresent();
    }
  }
}
