package io.berth.operator.api;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The CAs that Berth trusts and its client certificate, reloaded when the configured files change:
 * CA bundle, client certificate and key, trust store, key store, and the kubeconfig itself. The
 * files are checked at most once a second while requests are sent; new connections use the latest
 * version.
 */
final class LiveTls {

  private static final Logger LOG = LoggerFactory.getLogger(LiveTls.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  private final Config config;
  private final List<Path> files;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private List<Optional<String>> contents;
  private List<Optional<String>> refused = List.of();
  private long lookedAt;

  private volatile Material managers;

  /**
   * The key material of one version of the files.
   *
   * @param revision the number of the version, which increases with each change
   */
  private record Material(
      long revision, X509ExtendedTrustManager trust, Optional<X509ExtendedKeyManager> key) {}

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   * @throws IOException when a file cannot be read
   * @throws GeneralSecurityException when a file does not contain a valid certificate or key
   */
  LiveTls(Config config, LongSupplier nanoTime) throws IOException, GeneralSecurityException {
    this.config = config;
    this.nanoTime = nanoTime;
    this.files =
        Stream.concat(
                Stream.of(
                        config.getCaCertFile(),
                        config.getClientCertFile(),
                        config.getClientKeyFile(),
                        config.getTrustStoreFile(),
                        config.getKeyStoreFile())
                    .filter(Objects::nonNull)
                    .filter(name -> !name.isBlank()),
                Optional.ofNullable(config.getFile()).map(File::getPath).stream())
            .map(Path::of)
            .toList();
    this.contents = read();
    this.lookedAt = nanoTime.getAsLong();
    this.managers = of(config, 1);
  }

  /** The revision of the key material, which increases when the files change. */
  long revision() {
    look();
    return managers.revision();
  }

  /** Returns an SSL context whose handshakes use the current key material. */
  SSLContext context() {
    return SSLUtils.sslContext(keyManagers(), trustManagers());
  }

  TrustManager[] trustManagers() {
    return new TrustManager[] {new FollowingTrust()};
  }

  /** Returns the key managers; null if Berth has no client certificate. */
  KeyManager @Nullable [] keyManagers() {
    return managers.key().isEmpty() ? null : new KeyManager[] {new FollowingKey()};
  }

  private Material now() {
    look();
    return managers;
  }

  private synchronized void look() {
    long now = nanoTime.getAsLong();
    if (files.isEmpty() || now - lookedAt < LOOK_EVERY.toNanos()) {
      return;
    }
    lookedAt = now;
    List<Optional<String>> found = read();
    if (found.equals(contents) || found.equals(refused)) {
      return;
    }
    try {
      managers = of(config.refresh(), managers.revision() + 1);
      contents = found;
      refused = List.of();
      LOG.info("The certificates for the API server have changed; new connections use them");
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      refused = found;
      LOG.warn(
          "The new certificates for the API server cannot be used: {}. Berth continues to use the"
              + " current ones; check {}",
          e.getMessage(),
          files);
    }
  }

  private List<Optional<String>> read() {
    return files.stream().map(LiveTls::content).toList();
  }

  private static Optional<String> content(Path file) {
    try {
      return Optional.of(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      LOG.debug("{} cannot be read at the moment", file, e);
      return Optional.empty();
    }
  }

  private static Material of(Config config, long revision)
      throws IOException, GeneralSecurityException {
    X509ExtendedTrustManager trust =
        only(SSLUtils.trustManagers(config), X509ExtendedTrustManager.class)
            .orElseThrow(() -> new IOException("the JDK has no X.509 trust manager"));
    KeyManager[] keys = SSLUtils.keyManagers(config);
    return new Material(
        revision,
        trust,
        keys == null ? Optional.empty() : only(keys, X509ExtendedKeyManager.class));
  }

  private static <M> Optional<M> only(Object[] managers, Class<M> type) {
    return Stream.of(managers).filter(type::isInstance).map(type::cast).findFirst();
  }

  /** Delegates each handshake to the current trust manager. */
  private final class FollowingTrust extends X509ExtendedTrustManager {
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      now().trust().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      now().trust().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      now().trust().checkServerTrusted(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      now().trust().checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      now().trust().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      now().trust().checkClientTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return now().trust().getAcceptedIssuers();
    }
  }

  /** Delegates each handshake to the current key manager. */
  private final class FollowingKey extends X509ExtendedKeyManager {
    private Optional<X509ExtendedKeyManager> key() {
      return now().key();
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
      return key().map(k -> k.chooseEngineClientAlias(types, issuers, engine)).orElse(null);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] types, Principal @Nullable [] issuers, Socket socket) {
      return key().map(k -> k.chooseClientAlias(types, issuers, socket)).orElse(null);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      return key().map(k -> k.getCertificateChain(alias)).orElse(null);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return key().map(k -> k.getPrivateKey(alias)).orElse(null);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
      return key().map(k -> k.getClientAliases(type, issuers)).orElse(null);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseServerAlias(
        String type, Principal @Nullable [] issuers, Socket socket) {
      return null;
    }
  }
}
