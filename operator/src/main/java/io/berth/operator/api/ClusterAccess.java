package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.TokenRefreshInterceptor;
import io.fabric8.kubernetes.client.vertx.VertxHttpClientFactory;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.net.URI;
import java.security.GeneralSecurityException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Access to the API server for all clients of the process: its address, Berth's credentials, and
 * the trusted CAs. Token renewal and the reload of changed certificates, which each client would
 * otherwise do by itself, are shared by all of them.
 */
public final class ClusterAccess {

  /**
   * Shared by all clients. A client with an instance of its own closes it, and what fails meanwhile
   * is logged as uncaught.
   */
  private static final HttpClient.Factory EVENT_LOOPS =
      new VertxHttpClientFactory(DaemonVertx.create(new VertxOptions()));

  private final Config config;
  private final URI server;
  private final Credentials credentials;
  private final LiveTls tls;

  /** Shared by all clients, because its analysis of each type is expensive. */
  private final KubernetesSerialization serialization = new KubernetesSerialization();

  private ClusterAccess(Config config, Credentials credentials, LiveTls tls) {
    this.config = config;
    this.server = URI.create(config.getMasterUrl());
    this.credentials = credentials;
    this.tls = tls;
  }

  /**
   * Returns the access that a configuration describes.
   *
   * @throws KubernetesClientException when its certificates cannot be read
   */
  public static ClusterAccess of(Config config) {
    return of(config, System::nanoTime);
  }

  static ClusterAccess of(Config config, LongSupplier nanoTime) {
    try {
      return new ClusterAccess(
          config, new Credentials(config, nanoTime), new LiveTls(config, nanoTime));
    } catch (IOException | GeneralSecurityException e) {
      throw new KubernetesClientException(
          "the certificates for " + config.getMasterUrl() + " cannot be read: " + e.getMessage(),
          e);
    }
  }

  /** Creates a client that retries requests according to its configuration. */
  public KubernetesClient client() {
    return client(config, () -> true);
  }

  /** Creates a client without retries: its callers handle a 429 or a lost response themselves. */
  public KubernetesClient clientWithoutRetries() {
    return clientOnlyWhile(() -> true);
  }

  /**
   * Creates a client without retries that writes only while the condition holds. The condition is
   * evaluated before each write; a write that is not sent fails with a {@link TermOverException}.
   */
  public KubernetesClient clientOnlyWhile(BooleanSupplier condition) {
    return client(new ConfigBuilder(config).withRequestRetryBackoffLimit(0).build(), condition);
  }

  private KubernetesClient client(Config settings, BooleanSupplier mayWrite) {
    return new KubernetesClientBuilder()
        .withConfig(settings)
        .withKubernetesSerialization(serialization)
        .withHttpClientFactory(EVENT_LOOPS)
        .withHttpClientBuilderConsumer(builder -> prepare(builder, mayWrite))
        .build();
  }

  private void prepare(HttpClient.Builder builder, BooleanSupplier mayWrite) {
    builder.addOrReplaceInterceptor(
        TokenRefreshInterceptor.NAME, credentials.interceptor(mayWrite));
    if (isSecure()) {
      builder.sslContext(tls.keyManagers(), tls.trustManagers());
    }
  }

  Config config() {
    return config;
  }

  URI server() {
    return server;
  }

  boolean isSecure() {
    return "https".equals(server.getScheme());
  }

  Credentials credentials() {
    return credentials;
  }

  LiveTls tls() {
    return tls;
  }
}
