package io.berth.sandbox.admission.webhook;

import java.io.IOException;
import java.net.http.HttpClient;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * HTTP clients for the servers that the API server calls, cached by server name and CA bundle.
 * Thread-safe.
 */
public final class ServerClients implements AutoCloseable {
  private static final int MAX_CLIENTS = 16;

  private final KeyManager @Nullable [] keys;
  private final Map<Peer, HttpClient> clients = new LinkedHashMap<>();

  private record Peer(String serverName, String caBundle) {}

  /**
   * @param keys the certificate of this client; null if it has none
   */
  public ServerClients(KeyManager @Nullable [] keys) {
    this.keys = keys;
  }

  /**
   * Returns a client that trusts one server.
   *
   * @param serverName a name that its certificate must contain
   * @param caBundle the certificates of its authorities, as base64 of PEM; empty for those of the
   *     JDK
   */
  public synchronized HttpClient to(String serverName, String caBundle)
      throws GeneralSecurityException, IOException {
    Peer peer = new Peer(serverName, caBundle);
    HttpClient known = clients.get(peer);
    if (known != null) {
      return known;
    }
    if (clients.size() >= MAX_CLIENTS) {
      // The oldest entry belongs, most likely, to a replaced CA. Calls in flight are allowed to
      // finish.
      Peer oldest = clients.keySet().iterator().next();
      clients.remove(oldest).shutdown();
    }
    HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .sslContext(ServerTrust.context(caBundle, serverName, keys))
            .build();
    clients.put(peer, client);
    return client;
  }

  @Override
  public synchronized void close() {
    clients.values().forEach(HttpClient::shutdownNow);
    clients.clear();
  }
}
