package io.berth.serving.tls;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate that this replica presents to clients and to other replicas. A new certificate
 * takes effect with the next handshake; open connections are not affected. Thread-safe.
 *
 * <p>Replicas also use it to authenticate each other, because only they have its key. A client that
 * presents any other certificate is rejected; clients without a certificate are accepted.
 */
public final class LiveCertificate {
  private final SSLContext context;
  private final InstantSource clock;
  private volatile CertificateState state;

  /** The state before the last exchange, which a lagging replica still presents. */
  private volatile @Nullable CertificateState previous;

  /** Creates a certificate that is initially the one of this state. */
  public LiveCertificate(CertificateState state) {
    this(state, InstantSource.system());
  }

  /**
   * Creates a certificate that is initially the one of this state.
   *
   * @param clock the clock for checking the validity of other certificates
   */
  public LiveCertificate(CertificateState state, InstantSource clock) {
    this.state = state;
    this.clock = clock;
    this.context = newContext(Optional.empty());
  }

  private SSLContext newContext(Optional<ClientAuthority> clients) {
    try {
      SSLContext made = SSLContext.getInstance("TLS");
      made.init(
          new KeyManager[] {new Keys()},
          new TrustManager[] {new Clients(clients)},
          new SecureRandom());
      return made;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has TLS", e);
    }
  }

  /** Replaces the certificate. */
  public synchronized void exchange(CertificateState newState) {
    if (!newState.serverChain().equals(state.serverChain())) {
      previous = state;
    }
    state = newState;
  }

  /** Returns the current state. */
  public CertificateState state() {
    return state;
  }

  /** Returns the trusted authorities of the current state, in PEM. */
  public String caBundle() {
    return state.caBundle();
  }

  /** Returns the context for the server, and for clients that connect to another replica. */
  public SSLContext context() {
    return context;
  }

  /** Returns a context for a server whose clients are replicas, or are verified by an authority. */
  public SSLContext contextFor(ClientAuthority clients) {
    return newContext(Optional.of(clients));
  }

  /** Returns whether only replicas of Berth have the private key of a certificate. */
  public boolean isReplica(X509Certificate certificate) {
    CertificateState before = previous;
    return state.isOfAReplica(certificate, clock.instant())
        || (before != null && before.isOfAReplica(certificate, clock.instant()));
  }

  /** Accepts replicas, and clients of the authority if there is one. */
  private final class Clients extends X509ExtendedTrustManager {
    private final Optional<ClientAuthority> authority;

    Clients(Optional<ClientAuthority> authority) {
      this.authority = authority;
    }

    private void checkClient(X509Certificate[] chain, String authType) throws CertificateException {
      if (authority.isPresent() && !(chain.length > 0 && isReplica(chain[0]))) {
        authority.get().check(chain, authType);
      } else {
        check(chain);
      }
    }

    private void check(X509Certificate[] chain) throws CertificateException {
      if (chain.length == 0 || !isReplica(chain[0])) {
        throw new CertificateException(
            "the certificate does not belong to a replica of Berth; other clients must not present"
                + " one");
      }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
        throws CertificateException {
      checkClient(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
        throws CertificateException {
      checkClient(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
        throws CertificateException {
      checkClient(chain, authType);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
        throws CertificateException {
      check(chain);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      // A client in Go presents a certificate only if its issuer is one of these.
      return Stream.concat(
              authority.map(ClientAuthority::issuers).orElse(List.of()).stream(),
              state.authorities().stream())
          .toArray(X509Certificate[]::new);
    }
  }

  /**
   * Provides the current certificate and its key. The alias of a certificate is its serial number,
   * so a handshake that began before the certificate was replaced never gets a certificate with the
   * wrong key: it fails, and the client retries.
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
      return getServerAliases(keyType, issuers);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] keyTypes, Principal @Nullable [] issuers, SSLEngine engine) {
      return chooseClientAlias(keyTypes, issuers, null);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
      for (String keyType : keyTypes) {
        String alias = chooseServerAlias(keyType, issuers, socket);
        if (alias != null) {
          return alias;
        }
      }
      return null;
    }

    private static String alias(CertificateState state) {
      return state.serverChain().getFirst().getSerialNumber().toString(16);
    }
  }
}
