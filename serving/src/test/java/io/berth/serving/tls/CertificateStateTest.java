package io.berth.serving.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.Test;

class CertificateStateTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final RenewalRules RULES =
      new RenewalRules(
          RenewalRules.serviceNames("berth", "berth-system"),
          Duration.ofDays(90),
          Duration.ofDays(30),
          Duration.ofHours(1));

  private final CertificateAuthority maker = new CertificateAuthority(new SecureRandom());
  private final CertificateState fresh = CertificateState.begin(maker, RULES, START);

  @Test
  void aFreshCertificate_isTrustedThroughItsBundleAndCarriesTheServicesNames()
      throws GeneralSecurityException {
    assertTrusted(fresh, fresh.caBundle());
    assertThat(fresh.serverChain().getFirst().getSubjectAlternativeNames())
        .extracting(name -> String.valueOf(name.get(1)))
        .containsExactlyInAnyOrder(
            "berth",
            "berth.berth-system",
            "berth.berth-system.svc",
            "berth.berth-system.svc.cluster.local");
  }

  @Test
  void nothing_isToBeDoneBeforeTwoThirdsOfTheServerCertificatesLife() {
    Duration backdated = CertificateAuthority.BACKDATED;
    Instant twoThirds =
        START
            .minus(backdated)
            .plus(Duration.ofDays(30).plus(backdated).multipliedBy(2).dividedBy(3));

    assertThat(fresh.plan(START, RULES)).isEqualTo(new RenewalPlan.Wait(twoThirds));
    assertThat(fresh.plan(twoThirds, RULES)).isInstanceOf(RenewalPlan.RenewServer.class);
  }

  @Test
  void aRenewedServerCertificate_hasTheSameAuthority() throws GeneralSecurityException {
    Instant later = START.plus(Duration.ofDays(21));

    CertificateState renewed = step(fresh, later, RenewalPlan.RenewServer.class);

    assertThat(renewed.serverEnd()).isEqualTo(later.plus(Duration.ofDays(30)));
    assertTrusted(renewed, fresh.caBundle());
  }

  @Test
  void anAuthority_isReplacedSoThatOldAndNewAreTrustedAtEveryStep()
      throws GeneralSecurityException {
    Instant introducing = START.plus(Duration.ofDays(61));
    CertificateState before =
        fresh.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, introducing);

    CertificateState introduced = step(before, introducing, RenewalPlan.IntroduceAuthority.class);
    // The served certificate is still signed by the old authority, which all API servers trust.
    assertTrusted(introduced, before.caBundle());
    assertThat(introduced.plan(introducing.plus(Duration.ofMinutes(59)), RULES))
        .isEqualTo(new RenewalPlan.Wait(introducing.plus(Duration.ofHours(1))));

    Instant promoting = introducing.plus(Duration.ofHours(1));
    CertificateState promoted = step(introduced, promoting, RenewalPlan.PromoteAuthority.class);
    // API servers trust both authorities, with the caBundle of the previous step and of this one.
    assertTrusted(promoted, introduced.caBundle());
    assertTrusted(introduced, promoted.caBundle());

    Instant ended = START.plus(Duration.ofDays(90));
    CertificateState renewed =
        promoted.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, ended);
    CertificateState forgotten = step(renewed, ended, RenewalPlan.ForgetEnded.class);
    assertTrusted(forgotten, forgotten.caBundle());
    assertThat(Pem.certificates(forgotten.caBundle())).hasSize(1);
  }

  @Test
  void anAuthorityThatExpiredUnnoticed_isReplaced() {
    assertThat(fresh.plan(START.plus(Duration.ofDays(91)), RULES))
        .isInstanceOf(RenewalPlan.Begin.class);
  }

  @Test
  void anotherNameOfTheServiceAsksForAnotherCertificate() {
    RenewalRules moved = RenewalRules.usual(RenewalRules.serviceNames("berth", "elsewhere"));

    assertThat(fresh.plan(START, moved)).isInstanceOf(RenewalPlan.RenewServer.class);
  }

  @Test
  void aServerCertificateNeverOutlivesItsAuthority() {
    Instant late = START.plus(Duration.ofDays(80));

    CertificateState renewed =
        fresh.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, late);

    assertThat(renewed.serverEnd()).isEqualTo(renewed.authorityEnd().orElseThrow());
  }

  @Test
  void aSecret_givesBackWhatWasPutIntoIt() throws Exception {
    Instant introducing = START.plus(Duration.ofDays(61));
    CertificateState both =
        fresh.carryOut(new RenewalPlan.IntroduceAuthority("test"), maker, RULES, introducing);

    CertificateState read = CertificateState.decode(both.encode());

    assertThat(read.encode()).isEqualTo(both.encode());
    assertThat(read.caBundle()).isEqualTo(both.caBundle());
    assertThat(read.plan(introducing.plus(Duration.ofHours(1)), RULES))
        .isInstanceOf(RenewalPlan.PromoteAuthority.class);
    CertificateState promoted =
        step(read, introducing.plus(Duration.ofHours(1)), RenewalPlan.PromoteAuthority.class);
    assertTrusted(CertificateState.decode(promoted.encode()), both.caBundle());
  }

  @Test
  void aSecretWithoutAnAuthoritysKey_isNotChanged() throws Exception {
    Map<String, String> certManagers = new HashMap<>(fresh.encode());
    certManagers.remove(CertificateState.AUTHORITY_KEY);

    CertificateState read = CertificateState.decode(certManagers);

    assertThat(read.plan(START.plus(Duration.ofDays(400)), RULES))
        .isInstanceOf(RenewalPlan.LeaveToOthers.class);
    assertThat(read.caBundle()).isEqualTo(fresh.caBundle());
  }

  @Test
  void aBrokenSecret_saysWhichFieldAndWhatToDo() {
    Map<String, String> broken = new HashMap<>(fresh.encode());
    broken.put(
        CertificateState.SERVER_KEY,
        Base64.getEncoder().encodeToString("nonsense".getBytes(StandardCharsets.US_ASCII)));

    assertThatThrownBy(() -> CertificateState.decode(broken))
        .isInstanceOf(UnreadableCertificateException.class)
        .hasMessageContaining("data[\"tls.key\"]")
        .hasMessageContaining("delete the Secret");
    assertThatThrownBy(() -> CertificateState.decode(Map.of()))
        .hasMessageContaining("data[\"tls.crt\"]");
  }

  @Test
  void replica_isKnown_alsoAfterItsSecretWasLost() {
    CertificateState again =
        CertificateState.begin(maker, RULES, START.plusSeconds(60), fresh.caBundle());

    assertThat(again.isOfAReplica(fresh.serverChain().getFirst(), START.plusSeconds(60))).isTrue();
    assertThat(again.isOfAReplica(again.serverChain().getFirst(), START.plusSeconds(60))).isTrue();
  }

  @Test
  void leafOfAnExternalAuthority_isNoReplica_afterBerthsOwnHasReplacedIt() throws Exception {
    KeyPair authorityKey = keyPair();
    X509Certificate authority =
        certificate("CN=company-ca", authorityKey, "CN=company-ca", authorityKey, 0, true);
    Map<String, String> certManagers = new HashMap<>(fresh.encode());
    certManagers.remove(CertificateState.AUTHORITY_KEY);
    certManagers.put(CertificateState.AUTHORITIES, base64(authority));
    String published = CertificateState.decode(certManagers).caBundle();

    CertificateState own = CertificateState.begin(maker, RULES, START, published);

    assertThat(own.caBundle())
        .as("it is trusted while its certificate is served")
        .contains(published);
    for (String subject : List.of("CN=somebody", "CN=berth-webhook")) {
      X509Certificate leaf =
          certificate(subject, keyPair(), "CN=company-ca", authorityKey, -1, true);
      assertThat(own.isOfAReplica(leaf, START)).as(subject).isFalse();
    }
  }

  @Test
  void certificateWithAnotherSubjectOrUse_isNoReplica_evenIfBerthsAuthoritySignedIt()
      throws Exception {
    KeyPair authorityKey = keyPair();
    String name = "CN=berth-webhook-ca-test";
    Map<String, String> secret = new HashMap<>(fresh.encode());
    secret.put(
        CertificateState.AUTHORITIES,
        base64(certificate(name, authorityKey, name, authorityKey, 0, true)));
    CertificateState state = CertificateState.decode(secret);
    String replica = "CN=berth-webhook";

    assertThat(state.isOfAReplica(leaf(replica, name, authorityKey, true), START)).isTrue();
    assertThat(state.isOfAReplica(leaf("CN=somebody", name, authorityKey, true), START)).isFalse();
    assertThat(state.isOfAReplica(leaf(replica, name, authorityKey, false), START)).isFalse();
    assertThat(
            state.isOfAReplica(
                leaf(replica, name, authorityKey, true), START.plus(Duration.ofDays(3))))
        .as("it has ended")
        .isFalse();
  }

  private static X509Certificate leaf(
      String subject, String issuer, KeyPair issuerKey, boolean forClients) throws Exception {
    return certificate(subject, keyPair(), issuer, issuerKey, -1, forClients);
  }

  private static KeyPair keyPair() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /**
   * Returns a certificate that is valid for two days from {@link #START}.
   *
   * @param pathLength the path length of an authority; -1 for a leaf
   * @param forClients whether clients may use it; otherwise only servers may
   */
  private static X509Certificate certificate(
      String subject,
      KeyPair key,
      String issuer,
      KeyPair issuerKey,
      int pathLength,
      boolean forClients)
      throws Exception {
    JcaX509v3CertificateBuilder builder =
        new JcaX509v3CertificateBuilder(
            new X500Name(issuer),
            BigInteger.valueOf(subject.length()),
            Date.from(START.minusSeconds(60)),
            Date.from(START.plus(Duration.ofDays(2))),
            new X500Name(subject),
            key.getPublic());
    builder.addExtension(
        Extension.basicConstraints,
        true,
        pathLength < 0 ? new BasicConstraints(false) : new BasicConstraints(pathLength));
    builder.addExtension(
        Extension.extendedKeyUsage,
        false,
        new ExtendedKeyUsage(
            forClients ? KeyPurposeId.id_kp_clientAuth : KeyPurposeId.id_kp_serverAuth));
    return new JcaX509CertificateConverter()
        .getCertificate(
            builder.build(
                new JcaContentSignerBuilder("SHA256withECDSA").build(issuerKey.getPrivate())));
  }

  private static String base64(X509Certificate certificate) {
    return Base64.getEncoder()
        .encodeToString(Pem.write(List.of(certificate)).getBytes(StandardCharsets.US_ASCII));
  }

  private CertificateState step(
      CertificateState state, Instant now, Class<? extends RenewalPlan> expected) {
    RenewalPlan plan = state.plan(now, RULES);
    assertThat(plan).isInstanceOf(expected);
    return state.carryOut(plan, maker, RULES, now);
  }

  /** Asserts that one of the bundle's authorities signed the served certificate. */
  private static void assertTrusted(CertificateState served, String bundle)
      throws GeneralSecurityException {
    X509Certificate server = served.serverChain().getFirst();
    List<X509Certificate> issuers =
        Pem.certificates(bundle).stream()
            .filter(each -> each.getSubjectX500Principal().equals(server.getIssuerX500Principal()))
            .toList();
    assertThat(issuers).hasSize(1);
    server.verify(issuers.getFirst().getPublicKey());
  }
}
