package io.berth.demo.cluster;

import io.fabric8.kubernetes.client.Config;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;

/** Kubeconfigs for processes that act by a token. */
public final class Kubeconfig {
  private Kubeconfig() {}

  /**
   * Returns the text of one.
   *
   * @param authority whom to trust, in PEM
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

  /** Returns the text of one for the same API server, by another token. */
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
