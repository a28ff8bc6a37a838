package io.berth.webhook.http;

import io.berth.webhook.admission.AdmissionService;
import java.io.IOException;
import java.time.Duration;
import javax.net.ssl.SSLContext;

/** The HTTPS endpoint that API servers send AdmissionReviews to. */
public interface WebhookServer extends AutoCloseable {

  /** The port it listens on. */
  int port();

  /**
   * Stops: takes no new connections, lets the reviews that are under way finish, then closes all
   * connections.
   *
   * @param patience how long the reviews under way are waited for
   * @return whether all of them finished
   */
  boolean stop(Duration patience);

  /** Stops at once. */
  @Override
  default void close() {
    stop(Duration.ZERO);
  }

  /**
   * Starts to listen on all addresses.
   *
   * @param port the port; 0 takes a free one
   * @param tls the certificate to show
   * @throws PortTakenException when something else listens there
   * @throws IOException when the port cannot be listened on for another reason
   */
  static WebhookServer start(
      int port, SSLContext tls, AdmissionService service, RequestObserver observer)
      throws IOException {
    return JdkWebhookServer.start(port, tls, service, observer);
  }
}
