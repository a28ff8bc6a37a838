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
    String encoded = Base64.getEncoder().encodeToString(authority);
    return of(server, "certificate-authority-data", encoded, token);
  }

  /**
   * Returns the content of a kubeconfig for the same API server with another token. It trusts the
   * server as the other one does: by its certificate authority, by those of the system, or in any
   * case.
   */
  public static String of(Config apiServer, String token) throws IOException {
    String server = apiServer.getMasterUrl();
    if (apiServer.isTrustCerts()) {
      return of(server, "insecure-skip-tls-verify", "true", token);
    }
    String data = apiServer.getCaCertData();
    if (data != null) {
      return of(server, pem(data), token);
    }
    return apiServer.getCaCertFile() == null
        ? of(server, "insecure-skip-tls-verify", "false", token)
        : of(server, Files.readAllBytes(Path.of(apiServer.getCaCertFile())), token);
  }

  /** Returns the authority of a kubeconfig, where it is PEM, or encoded in one line or several. */
  private static byte[] pem(String data) {
    return data.startsWith("-----")
        ? data.getBytes(StandardCharsets.US_ASCII)
        : Base64.getMimeDecoder().decode(data);
  }

  private static String of(String server, String trust, String value, String token) {
    return """
    apiVersion: v1
    kind: Config
    clusters:
    - name: cluster
      cluster:
        server: %s
        %s: %s
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
        .formatted(server, trust, value, token);
  }
}
