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

/**
 * JSON requests over HTTP. They carry no token and only the client certificate that is configured
 * for the service, and do not use a proxy.
 */
public final class HttpServiceCalls implements ServiceCalls {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_CONNECTIONS = 64;
  private static final int LONGEST_ANSWER = 32 << 20;

  private final Connections connections;

  private HttpServiceCalls(Connections connections) {
    this.connections = connections;
  }

  /**
   * Creates the calls to a service.
   *
   * @param server the service's URL
   * @throws KubernetesClientException when a certificate or a key cannot be read
   */
  public static HttpServiceCalls to(URI server, Trust trust) {
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
    return new HttpServiceCalls(new Connections(access(config, trust), bounds));
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

  @Override
  public CompletableFuture<Answer> post(
      URI uri, JsonNode body, Duration limit, BooleanSupplier mayBeSent) {
    CompletableFuture<Answer> answered = new CompletableFuture<>();
    Connections.Call call =
        new Connections.Call(
            "POST", uri, Connections.Call.JSON, Connections.Call.JSON, bytes(body));
    connections.send(call, "", limit, mayBeSent, answered::complete);
    return answered;
  }

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
