package io.berth.operator.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** JSON requests to a service other than the API server. */
public interface ServiceCalls extends AutoCloseable {

  /**
   * The TLS settings of a service. Files are reloaded when they change; data are base64-encoded PEM
   * and take precedence over files. A Secret takes the place of all of these. Null stands for a
   * setting that is not given.
   *
   * @param insecure whether to skip verification of the service's certificate
   * @param serverName the name that the certificate must carry; empty for the host of the URL
   * @param caFile the file with the CA bundle
   * @param caData the CA bundle
   * @param certFile the file with the client certificate
   * @param certData the client certificate
   * @param keyFile the file with the client key
   * @param keyData the client key
   * @param secretName the mounted Secret with {@code tls.crt} and {@code tls.key}, {@code ca.crt},
   *     or all three
   */
  record Trust(
      boolean insecure,
      String serverName,
      @Nullable String caFile,
      @Nullable String caData,
      @Nullable String certFile,
      @Nullable String certData,
      @Nullable String keyFile,
      @Nullable String keyData,
      @Nullable String secretName) {
    /** The CAs of the JDK, and no client certificate. */
    public static final Trust DEFAULT =
        new Trust(false, "", null, null, null, null, null, null, null);
  }

  /** Creates the calls to a service. */
  interface Opener {
    /**
     * Creates the calls to a service.
     *
     * @param server the service's URL
     * @throws KubernetesClientException when a certificate or a key cannot be read
     */
    ServiceCalls open(URI server, Trust trust);
  }

  /**
   * Sends a request. Redirects are not followed.
   *
   * @param limit the total time limit, after which the response counts as lost
   * @param mayBeSent evaluated right before the request is written; see {@link Answer#wasNotSent}
   * @return a future that completes with the answer, never exceptionally
   */
  CompletableFuture<Answer> post(URI uri, JsonNode body, Duration limit, BooleanSupplier mayBeSent);

  /** Stops sending requests; requests in progress are still answered. */
  @Override
  void close();
}
