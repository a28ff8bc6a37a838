package io.berth.demo.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The certificate with which an API server authenticates itself to the servers of aggregated APIs.
 * It signs itself, so it is also the authority that these servers trust.
 */
final class FrontProxyCertificate {
  private static final String NAME = "front-proxy-client";
  private static final String PASSWORD = "changeit";
  private static final Base64.Encoder PEM = Base64.getMimeEncoder(64, new byte[] {'\n'});

  private final Path certificate;
  private final Path key;

  private FrontProxyCertificate(Path certificate, Path key) {
    this.certificate = certificate;
    this.key = key;
  }

  /** Creates a certificate with its key in a folder. */
  static FrontProxyCertificate create(Path folder) throws IOException {
    Path store = folder.resolve("front-proxy.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                NAME,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-dname",
                "CN=" + NAME,
                "-ext",
                "eku=clientAuth",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .start();
    try (InputStream output = keytool.getInputStream()) {
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new IOException("keytool created no certificate: " + text);
      }
      KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
      return new FrontProxyCertificate(
          Files.writeString(
              folder.resolve("front-proxy.crt"),
              pem("CERTIFICATE", keys.getCertificate(NAME).getEncoded())),
          Files.writeString(
              folder.resolve("front-proxy.key"),
              pem("PRIVATE KEY", keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded())));
    } catch (GeneralSecurityException e) {
      throw new IOException("the certificate of keytool cannot be read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool was running", e);
    }
  }

  private static String pem(String type, byte[] content) {
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, PEM.encodeToString(content), type);
  }

  /** Returns the flags of kube-apiserver that make it use the certificate. */
  Map<String, String> flags() {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("--requestheader-client-ca-file", certificate.toString());
    flags.put("--requestheader-allowed-names", NAME);
    flags.put("--requestheader-username-headers", "X-Remote-User");
    flags.put("--requestheader-group-headers", "X-Remote-Group");
    flags.put("--requestheader-extra-headers-prefix", "X-Remote-Extra-");
    flags.put("--proxy-client-cert-file", certificate.toString());
    flags.put("--proxy-client-key-file", key.toString());
    return flags;
  }
}
