package io.berth.demo.cluster;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** Kubeconfigs that authenticate with a token. */
public final class Kubeconfig {
  private Kubeconfig() {}

  /**
   * Returns the content of a kubeconfig.
   *
   * @param authority the certificate authority to trust, as PEM
   */
  public static String of(String server, byte[] authority, String token) {
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: cluster
      cluster:
        server: %s
        certificate-authority-data: %s
    users:
    - name: user
      user:
        token: %s
    contexts:
    - name: context
      context:
        cluster: cluster
        user: user
    current-context: context
    """
        .formatted(server, Base64.getEncoder().encodeToString(authority), token);
  }

  /** Returns the content of a kubeconfig for the same API server with another token. */
  public static String of(Config apiServer, String token) throws IOException {
    return of(apiServer.getMasterUrl(), authority(apiServer), token);
  }

  private static byte[] authority(Config config) throws IOException {
    String data = config.getCaCertData();
    if (data == null) {
      return Files.readAllBytes(Path.of(config.getCaCertFile()));
    }
    return data.startsWith("-----")
        ? data.getBytes(StandardCharsets.US_ASCII)
        : Base64.getMimeDecoder().decode(data);
  }
}
