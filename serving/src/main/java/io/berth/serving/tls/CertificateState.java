package io.berth.serving.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.security.auth.x500.X500Principal;

/**
 * The webhook's certificates, which the replicas share in one Secret. Immutable: a renewal returns
 * a new state.
 *
 * <p>An authority is replaced in three steps, and all parties trust each other throughout. When two
 * thirds of its lifetime have passed, the next authority is created and published in {@code
 * caBundle} together with the current one. After the overlap, when the API servers have the new
 * {@code caBundle}, the next authority signs the server certificate. The old authority stays
 * published until it expires, because another replica may still serve a certificate that it signed.
 *
 * <p>If the Secret is lost, a new authority and server certificate are created. Until the replicas
 * load them, they serve certificates that the previous authority signed, so it stays published for
 * the overlap.
 *
 * <p>A Secret without {@code ca.key} is managed externally, for example by cert-manager: it is
 * served but never renewed.
 */
public final class CertificateState {
  /**
   * The key of the server certificate chain in the Secret. As in Secrets of type {@code
   * kubernetes.io/tls}.
   */
  public static final String SERVER_CERTIFICATE = "tls.crt";

  /**
   * The key of the server's private key in the Secret. As in Secrets of type {@code
   * kubernetes.io/tls}.
   */
  public static final String SERVER_KEY = "tls.key";

  /** The key of all trusted authorities in the Secret; the first one is the signing authority. */
  public static final String AUTHORITIES = "ca.crt";

  /** The key of the signing authority's private key in the Secret. */
  public static final String AUTHORITY_KEY = "ca.key";

  /** The key of the next signing authority in the Secret. */
  public static final String NEXT_AUTHORITY = "next-ca.crt";

  /** The key of the next signing authority's private key in the Secret. */
  public static final String NEXT_AUTHORITY_KEY = "next-ca.key";

  /** The key of the authorities of a lost Secret, which are trusted for the overlap. */
  public static final String INHERITED_AUTHORITIES = "inherited-ca.crt";

  /** The object identifier of the extended key usage of TLS clients. */
  private static final String CLIENT_USE = "1.3.6.1.5.5.7.3.2";

  private static final int MOST_INHERITED = 4;
  private static final Duration LOOK_AGAIN = Duration.ofMinutes(1);

  private final List<X509Certificate> serverChain;
  private final PrivateKey serverKey;
  private final Optional<KeyAndCertificate> authority;
  private final Optional<KeyAndCertificate> next;

  /** Trusted authorities that no longer sign, or that are managed externally. */
  private final List<X509Certificate> others;

  /** The authorities of a lost Secret. */
  private final List<X509Certificate> inherited;

  private CertificateState(
      List<X509Certificate> serverChain,
      PrivateKey serverKey,
      Optional<KeyAndCertificate> authority,
      Optional<KeyAndCertificate> next,
      List<X509Certificate> others,
      List<X509Certificate> inherited) {
    this.serverChain = List.copyOf(serverChain);
    this.serverKey = serverKey;
    this.authority = authority;
    this.next = next;
    this.others = List.copyOf(others);
    this.inherited = List.copyOf(inherited);
  }

  /** Creates the initial state: a new authority, and a server certificate signed by it. */
  public static CertificateState begin(
      CertificateAuthority maker, RenewalRules rules, Instant now) {
    return begin(maker, rules, now, "");
  }

  /**
   * Creates the initial state after a Secret was lost.
   *
   * @param published the authorities that are still published, in PEM
   */
  public static CertificateState begin(
      CertificateAuthority maker, RenewalRules rules, Instant now, String published) {
    KeyAndCertificate authority = maker.authority(now, rules.authorityLife());
    KeyAndCertificate server = maker.server(authority, rules.names(), now, rules.serverLife());
    return new CertificateState(
        List.of(server.certificate()),
        server.key(),
        Optional.of(authority),
        Optional.empty(),
        List.of(),
        stillValid(published, now));
  }

  private static List<X509Certificate> stillValid(String pem, Instant now) {
    try {
      return Pem.certificates(pem).stream()
          .filter(each -> now.isBefore(each.getNotAfter().toInstant()))
          .sorted(Comparator.comparing(X509Certificate::getNotBefore).reversed())
          .limit(MOST_INHERITED)
          .toList();
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return List.of(); // an unreadable bundle is trusted by no client
    }
  }

  /**
   * Reads a Secret's {@code data}.
   *
   * @param data the values in base64, as the API server returns them
   * @throws UnreadableCertificateException if a value is missing or cannot be parsed
   */
  public static CertificateState decode(Map<String, String> data)
      throws UnreadableCertificateException {
    List<X509Certificate> chain = certificates(data, SERVER_CERTIFICATE);
    if (chain.isEmpty()) {
      throw new UnreadableCertificateException(SERVER_CERTIFICATE, "holds no certificate", null);
    }
    PrivateKey serverKey =
        key(data, SERVER_KEY)
            .orElseThrow(
                () -> new UnreadableCertificateException(SERVER_KEY, "contains no key", null));
    List<X509Certificate> authorities = certificates(data, AUTHORITIES);
    Optional<PrivateKey> authorityKey = key(data, AUTHORITY_KEY);
    List<X509Certificate> nextCertificate = certificates(data, NEXT_AUTHORITY);
    Optional<PrivateKey> nextKey = key(data, NEXT_AUTHORITY_KEY);
    List<X509Certificate> inherited = certificates(data, INHERITED_AUTHORITIES);
    if (authorityKey.isEmpty()) {
      return new CertificateState(
          chain, serverKey, Optional.empty(), Optional.empty(), authorities, List.of());
    }
    if (authorities.isEmpty()) {
      throw new UnreadableCertificateException(AUTHORITIES, "holds no certificate", null);
    }
    Optional<KeyAndCertificate> next =
        nextCertificate.isEmpty()
            ? Optional.empty()
            : nextKey.map(key -> new KeyAndCertificate(key, nextCertificate.getFirst()));
    return new CertificateState(
        chain,
        serverKey,
        Optional.of(new KeyAndCertificate(authorityKey.get(), authorities.getFirst())),
        next,
        authorities.subList(1, authorities.size()).stream()
            .filter(each -> !nextCertificate.contains(each) && !inherited.contains(each))
            .toList(),
        inherited);
  }

  /** Returns the Secret's {@code data}, with values in base64. */
  public Map<String, String> encode() {
    Map<String, String> data = new LinkedHashMap<>();
    data.put(SERVER_CERTIFICATE, base64(Pem.write(serverChain)));
    data.put(SERVER_KEY, base64(Pem.write(serverKey)));
    data.put(AUTHORITIES, base64(caBundle()));
    authority.ifPresent(each -> data.put(AUTHORITY_KEY, base64(Pem.write(each.key()))));
    next.ifPresent(
        each -> {
          data.put(NEXT_AUTHORITY, base64(Pem.write(List.of(each.certificate()))));
          data.put(NEXT_AUTHORITY_KEY, base64(Pem.write(each.key())));
        });
    if (!inherited.isEmpty()) {
      data.put(INHERITED_AUTHORITIES, base64(Pem.write(inherited)));
    }
    return data;
  }

  /**
   * Returns all trusted authorities in PEM, not in the base64 that a webhook configuration
   * requires.
   */
  public String caBundle() {
    return Pem.write(authorities());
  }

  /** Returns all trusted authorities, the signing one first. */
  List<X509Certificate> authorities() {
    List<X509Certificate> all = new ArrayList<>();
    authority.ifPresent(each -> all.add(each.certificate()));
    next.ifPresent(each -> all.add(each.certificate()));
    all.addAll(others);
    all.addAll(inherited);
    return all;
  }

  /**
   * Returns whether a client that trusts this state's authorities trusts the server certificate of
   * another state.
   */
  public boolean trusts(CertificateState other) {
    return other.serverChain.equals(serverChain)
        || other.authorities().stream().limit(1).anyMatch(signer -> authorities().contains(signer));
  }

  /**
   * Returns whether only replicas of Berth have the private key of a certificate: it is the shared
   * server certificate, or one that an authority of Berth signed for a replica, with its subject
   * and for use by clients. An external authority may sign certificates for others, so its
   * signature is not sufficient, also not while its certificates are still served after Berth's own
   * authority has replaced it.
   */
  boolean isOfAReplica(X509Certificate certificate, Instant now) {
    if (now.isAfter(certificate.getNotAfter().toInstant())
        || now.isBefore(certificate.getNotBefore().toInstant())) {
      return false;
    }
    return certificate.equals(serverChain.getFirst())
        || (authority.isPresent()
            && certificate.getBasicConstraints() < 0
            && isForReplicas(certificate)
            && authorities().stream()
                .filter(CertificateAuthority::isOwn)
                .filter(each -> now.isBefore(each.getNotAfter().toInstant()))
                .anyMatch(each -> signed(each, certificate)));
  }

  private static boolean isForReplicas(X509Certificate certificate) {
    try {
      List<String> uses = certificate.getExtendedKeyUsage();
      return certificate
              .getSubjectX500Principal()
              .equals(new X500Principal("CN=" + CertificateAuthority.SERVER_NAME))
          && uses != null
          && uses.contains(CLIENT_USE);
    } catch (CertificateParsingException e) {
      return false; // no certificate of a replica is malformed
    }
  }

  private static boolean signed(X509Certificate authority, X509Certificate certificate) {
    try {
      certificate.verify(authority.getPublicKey());
      return true;
    } catch (GeneralSecurityException e) {
      return false; // signed by another authority
    }
  }

  /** Returns the server's certificate chain, starting with the server certificate. */
  public List<X509Certificate> serverChain() {
    return serverChain;
  }

  /** Returns the end of the server certificate's validity. */
  public Instant serverEnd() {
    return serverChain.getFirst().getNotAfter().toInstant();
  }

  /** Returns the end of the signing authority's validity; empty if the authority is external. */
  public Optional<Instant> authorityEnd() {
    return authority.map(each -> each.certificate().getNotAfter().toInstant());
  }

  /** Returns the plan for the given moment. */
  public RenewalPlan plan(Instant now, RenewalRules rules) {
    return authority.isEmpty()
        ? new RenewalPlan.LeaveToOthers(now.plus(LOOK_AGAIN))
        : new RenewalSchedule(
                serverChain.getFirst(),
                authority.get().certificate(),
                next.map(KeyAndCertificate::certificate),
                others,
                !inherited.isEmpty(),
                rules)
            .plan(now);
  }

  /** Returns the state after one step of its plan; the same state if there is nothing to do. */
  public CertificateState carryOut(
      RenewalPlan plan, CertificateAuthority maker, RenewalRules rules, Instant now) {
    return switch (plan) {
      case RenewalPlan.Wait wait -> this;
      case RenewalPlan.LeaveToOthers leave -> this;
      case RenewalPlan.Begin begin -> begin(maker, rules, now);
      case RenewalPlan.IntroduceAuthority introduce ->
          new CertificateState(
              serverChain,
              serverKey,
              authority,
              Optional.of(maker.authority(now, rules.authorityLife())),
              others,
              inherited);
      case RenewalPlan.PromoteAuthority promote -> {
        List<X509Certificate> retired = new ArrayList<>(others);
        authority.ifPresent(each -> retired.add(each.certificate()));
        yield signedBy(next.orElseThrow(), retired, maker, rules, now);
      }
      case RenewalPlan.RenewServer renew -> {
        CertificateState renewed = signedBy(authority.orElseThrow(), others, maker, rules, now);
        yield new CertificateState(
            renewed.serverChain, renewed.serverKey, authority, next, others, inherited);
      }
      case RenewalPlan.ForgetEnded forget ->
          new CertificateState(
              serverChain,
              serverKey,
              authority,
              next,
              others.stream().filter(each -> now.isBefore(each.getNotAfter().toInstant())).toList(),
              now.isBefore(
                      RenewalSchedule.trustedFrom(authority.orElseThrow().certificate(), rules))
                  ? inherited
                  : List.of());
    };
  }

  PrivateKey serverKey() {
    return serverKey;
  }

  /**
   * Derives a secret from the server's key, which all replicas with this server certificate share.
   *
   * @param purpose the purpose of the secret; secrets for different purposes are independent of
   *     each other
   */
  public byte[] sharedSecret(String purpose) {
    try {
      Mac derivation = Mac.getInstance("HmacSHA256");
      derivation.init(new SecretKeySpec(serverKey.getEncoded(), "HmacSHA256"));
      return derivation.doFinal(purpose.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java runtime has HmacSHA256", e);
    }
  }

  private static CertificateState signedBy(
      KeyAndCertificate signer,
      List<X509Certificate> others,
      CertificateAuthority maker,
      RenewalRules rules,
      Instant now) {
    KeyAndCertificate server = maker.server(signer, rules.names(), now, rules.serverLife());
    return new CertificateState(
        List.of(server.certificate()),
        server.key(),
        Optional.of(signer),
        Optional.empty(),
        others,
        List.of());
  }

  private static List<X509Certificate> certificates(Map<String, String> data, String field)
      throws UnreadableCertificateException {
    try {
      return Pem.certificates(text(data, field));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new UnreadableCertificateException(field, "is not a list of PEM certificates", e);
    }
  }

  private static Optional<PrivateKey> key(Map<String, String> data, String field)
      throws UnreadableCertificateException {
    try {
      String text = text(data, field);
      return text.isBlank() ? Optional.empty() : Optional.of(Pem.privateKey(text));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      throw new UnreadableCertificateException(field, "is not a PEM private key", e);
    }
  }

  private static String text(Map<String, String> data, String field) {
    return new String(
        Base64.getMimeDecoder().decode(data.getOrDefault(field, "")), StandardCharsets.US_ASCII);
  }

  private static String base64(String text) {
    return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
  }
}
