package io.berth.operator.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.Connections.Bounds;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON requests over HTTP. They carry no token and only the client certificate that is configured
 * for the service, and do not use a proxy. Certificates and keys are read again when their files
 * change, at most once a second.
 */
public final class HttpServiceCalls implements ServiceCalls {

  private static final Logger LOG = LoggerFactory.getLogger(HttpServiceCalls.class);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_CONNECTIONS = 64;
  static final int LONGEST_ANSWER = 32 << 20;

  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final URI server;
  private final Trust trust;
  private final ServiceFiles files;

  // Guarded by this.
  private Trust used;
  private Connections connections;
  private String problem = "";
  private long lookedAt = System.nanoTime();
  private boolean closed;

  private HttpServiceCalls(URI server, Trust trust, ServiceFiles files, Trust used) {
    this.server = server;
    this.trust = trust;
    this.files = files;
    this.used = used;
    this.connections = connections(server, used);
  }

  /** Returns an opener of calls whose certificates and keys are in these files. */
  public static Opener opener(ServiceFiles files) {
    return (server, trust) -> to(server, trust, files);
  }

  /**
   * Creates the calls to a service.
   *
   * @param server the service's URL
   * @param files the files that the settings may name
   * @throws KubernetesClientException when a certificate or a key cannot be read
   */
  static HttpServiceCalls to(URI server, Trust trust, ServiceFiles files) {
    try {
      return new HttpServiceCalls(server, trust, files, files.read(trust));
    } catch (IOException e) {
      throw new KubernetesClientException(e.getMessage(), e);
    }
  }

  private static Connections connections(URI server, Trust trust) {
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl(server.toString())
            .withTrustCerts(trust.insecure())
            .withCaCertData(trust.caData())
            .withClientCertData(trust.certData())
            .withClientKeyData(trust.keyData())
            .build();
    Bounds bounds = new Bounds(MOST_CONNECTIONS, LONGEST_ANSWER, trust.serverName(), true);
    return new Connections(access(config, trust), bounds);
  }

  /**
   * Tries an EC key, then an RSA key: the first line of a PKCS #8 file does not name the algorithm.
   */
  private static ClusterAccess access(Config config, Trust trust) {
    if (trust.keyData() == null) {
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
    synchronized (this) {
      renew();
      connections.send(call, "", limit, mayBeSent, answered::complete);
    }
    return answered;
  }

  @Override
  public synchronized void close() {
    closed = true;
    connections.close();
  }

  /** Opens new connections if the files have changed; requests under way end on the former ones. */
  private void renew() {
    long now = System.nanoTime();
    if (closed || now - lookedAt < LOOK_EVERY.toNanos()) {
      return;
    }
    lookedAt = now;
    try {
      Trust found = files.read(trust);
      if (!found.equals(used)) {
        Connections renewed = connections(server, found);
        connections.close();
        connections = renewed;
        used = found;
        LOG.info("The certificates for {} have changed; new connections use them", server);
      }
      problem = "";
    } catch (IOException | KubernetesClientException e) {
      String reason = String.valueOf(e.getMessage());
      if (!reason.equals(problem)) {
        problem = reason;
        LOG.warn(
            "The certificates for {} cannot be used: {}. Berth continues to use those that it read"
                + " before",
            server,
            problem);
      }
    }
  }

  private static byte[] bytes(JsonNode body) {
    try {
      return JSON.writeValueAsBytes(body);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not JSON", e);
    }
  }
}
