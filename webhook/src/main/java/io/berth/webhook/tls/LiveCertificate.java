package io.berth.webhook.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * The server certificate that new connections are given. Exchanging it takes effect with the next
 * handshake; connections that are open stay as they are. Thread-safe.
 */
public final class LiveCertificate {
  private final SSLContext context;
  private volatile CertificateState state;

  /** Serves the certificate of this state. */
  public LiveCertificate(CertificateState state) {
    this.state = state;
    try {
      context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {new Keys()}, new TrustManager[0], new SecureRandom());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has TLS", e);
    }
  }

  /** Serves another certificate from now on. */
  public void exchange(CertificateState newState) {
    state = newState;
  }

  /** All authorities to be trusted with the certificate that is served now, in PEM. */
  public String caBundle() {
    return state.caBundle();
  }

  /** The context for a server. */
  public SSLContext context() {
    return context;
  }

  /**
   * Gives the present certificate. The name of a certificate carries its serial number, so that a
   * handshake that began before an exchange cannot be given one certificate and another one's key:
   * it fails and is tried again.
   */
  private final class Keys extends X509ExtendedKeyManager {

    @Override
    public @Nullable String chooseEngineServerAlias(
        String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
      return chooseServerAlias(keyType, issuers, null);
    }

    @Override
    public @Nullable String chooseServerAlias(
        String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
      CertificateState current = state;
      String algorithm = current.serverKey().getAlgorithm();
      return keyType.equals(algorithm) || keyType.startsWith(algorithm + "_")
          ? alias(current)
          : null;
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
      return new String[] {alias(state)};
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      CertificateState current = state;
      return alias.equals(alias(current))
          ? current.serverChain().toArray(X509Certificate[]::new)
          : null;
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      CertificateState current = state;
      return alias.equals(alias(current)) ? current.serverKey() : null;
    }

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return null;
    }

    private static String alias(CertificateState state) {
      return state.serverChain().getFirst().getSerialNumber().toString(16);
    }
  }
}
