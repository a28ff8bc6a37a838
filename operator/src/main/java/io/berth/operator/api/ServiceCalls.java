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
 * JSON requests to a service that is not the API server. They carry no token, no certificate but
 * the one that is named for the service, and use no proxy.
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
   * The TLS settings for mutual authentication of a service and Berth. Files are followed when they
   * change; data are PEM in base64, and take precedence. Null for what is not given.
   *
   * @param insecure whether the service's certificate is not checked
   * @param serverName the name that it must carry; empty for the one in the URL
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
    /** The authorities of the runtime, without a certificate of Berth's own. */
    public static final Trust DEFAULT = new Trust(false, "", null, null, null, null, null, null);
  }

  /**
   * Calls of a service.
   *
   * @param server its URL
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

  /** Tries both kinds of keys: PKCS #8 files do not name theirs in their first line. */
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
   * Sends a request. Redirections are not followed.
   *
   * @param limit after which an answer counts as lost, whatever was waited for
   * @param mayBeSent asked when the request is about to be written; see {@link Answer#wasNotSent}
   * @return completes with the answer, never exceptionally
   */
  public CompletableFuture<Answer> post(
      URI uri, JsonNode body, Duration limit, BooleanSupplier mayBeSent) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Connections.Call call = new Connections.Call("POST", uri, "application/json", bytes(body));
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
