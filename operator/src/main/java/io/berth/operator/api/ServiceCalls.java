package io.berth.operator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.Connections.Bounds;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * JSON requests to a service other than the API server. They carry no token and only the client
 * certificate that is configured for the service, and do not use a proxy.
 */
public final class ServiceCalls implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_CONNECTIONS = 64;
  private static final int LONGEST_ANSWER = 32 << 20;

  private final Connections connections;

  private ServiceCalls(Connections connections) {
    this.connections = connections;
  }

  /**
   * The TLS settings of a service. Files are reloaded when they change; data are base64-encoded PEM
   * and take precedence over files. Null stands for a setting that is not given.
   *
   * @param insecure whether to skip verification of the service's certificate
   * @param serverName the name that the certificate must carry; empty for the host of the URL
   * @param caFile the file with the CA bundle
   * @param caData the CA bundle
   * @param certFile the file with the client certificate
   * @param certData the client certificate
   * @param keyFile the file with the client key
   * @param keyData the client key
   */
  public record Trust(
      boolean insecure,
      String serverName,
      @Nullable String caFile,
      @Nullable String caData,
      @Nullable String certFile,
      @Nullable String certData,
      @Nullable String keyFile,
      @Nullable String keyData) {
    /** The CAs of the JDK, and no client certificate. */
    public static final Trust DEFAULT = new Trust(false, "", null, null, null, null, null, null);
  }

  /**
   * Creates the calls to a service.
   *
   * @param server the service's URL
   * @throws KubernetesClientException when a certificate or a key cannot be read
   */
  public static ServiceCalls to(URI server, Trust trust) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(server.toString())
            .withTrustCerts(trust.insecure())
            .withCaCertFile(trust.caFile())
            .withCaCertData(trust.caData())
            .withClientCertFile(trust.certFile())
            .withClientCertData(trust.certData())
            .withClientKeyFile(trust.keyFile())
            .withClientKeyData(trust.keyData())
            .build();
    Bounds bounds = new Bounds(MOST_CONNECTIONS, LONGEST_ANSWER, trust.serverName(), true);
    return new ServiceCalls(new Connections(access(config, trust), bounds));
  }

  /**
   * Tries an EC key, then an RSA key: the first line of a PKCS #8 file does not name the algorithm.
   */
  private static ClusterAccess access(Config config, Trust trust) {
    if (trust.keyFile() == null && trust.keyData() == null) {
      return ClusterAccess.of(config);
    }
    try {
      return ClusterAccess.of(new ConfigBuilder(config).withClientKeyAlgo("EC").build());
    } catch (KubernetesClientException notElliptic) {
      return ClusterAccess.of(new ConfigBuilder(config).withClientKeyAlgo("RSA").build());
    }
  }

  /**
   * Sends a request. Redirects are not followed.
   *
   * @param limit the total time limit, after which the response counts as lost
   * @param mayBeSent evaluated right before the request is written; see {@link Answer#wasNotSent}
   * @return a future that completes with the answer, never exceptionally
   */
  public CompletableFuture<Answer> post(
      URI uri, JsonNode body, Duration limit, BooleanSupplier mayBeSent) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Connections.Call call =
        new Connections.Call(
            "POST", uri, Connections.Call.JSON, Connections.Call.JSON, bytes(body));
    connections.send(call, "", limit, mayBeSent, answered::complete);
    return answered;
  }

  /** Stops sending requests; requests in progress are still answered. */
  @Override
  public void close() {
    connections.close();
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON", e);
    }
  }
}
