package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.MovedClock;
import io.berth.operator.record.BerthMetrics;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The certificates of two replicas over more than a year, with a clock that the test moves. At
 * every step, a client that trusts the CA bundle of the webhook configurations trusts both
 * replicas.
 */
class CertificateRenewalTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String NAMESPACE = "berth-system";
  private static final Path WEBHOOKS = Path.of("..", "deploy", "manifests", "80-webhooks.yaml");

  private final MovedClock clock = new MovedClock();
  private Sandbox sandbox;
  private KubernetesClient client;
  private CertificateKeeper keeperOne;
  private CertificateKeeper keeperTwo;
  private WebhookEndpoint one;
  private WebhookEndpoint two;

  @BeforeEach
  void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
            .build();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    try (InputStream yaml = Files.newInputStream(WEBHOOKS)) {
      client.load(yaml).serverSideApply();
    }
    keeperOne = CertificateKeeper.start(client, NAMESPACE, Optional.empty(), true, clock);
    keeperTwo = CertificateKeeper.start(client, NAMESPACE, Optional.empty(), true, clock);
    one = replica(keeperOne);
    two = replica(keeperTwo);
    lookAll();
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
    keeperOne.close();
    keeperTwo.close();
    client.close();
    sandbox.close();
  }

  private WebhookEndpoint replica(CertificateKeeper keeper) throws IOException {
    return WebhookEndpoint.start(
        client,
        NAMESPACE,
        keeper,
        0,
        Optional.empty(),
        Optional.empty(),
        Set.of("berth"),
        true,
        () -> true,
        new LiveCatalog(NAMESPACE),
        new BerthMetrics(List.of("berth")),
        Optional.empty());
  }

  private void lookAll() {
    keeperOne.look();
    keeperTwo.look();
  }

  private void later(Duration time) {
    clock.move(time);
    lookAll();
  }

  @Test
  void replicas_shareOneCertificate() throws Exception {
    assertThat(served(one)).isEqualTo(served(two));
    assertEverybodyIsTrusted();
  }

  @Test
  void serverCertificate_isRenewedAtTwoThirdsOfItsLife_byOneReplica_withoutARestart()
      throws Exception {
    X509Certificate first = served(one);
    later(Duration.ofDays(59));
    assertThat(served(one)).isEqualTo(first);

    later(Duration.ofDays(2));

    assertThat(served(one)).isNotEqualTo(first).isEqualTo(served(two));
    assertThat(bundle()).as("the authority is the same").hasSize(1);
    assertEverybodyIsTrusted();
  }

  @Test
  void authority_isReplacedAtTwoThirdsOfItsLife_withAnOverlap() throws Exception {
    Set<X509Certificate> before = bundle();
    later(Duration.ofDays(242));
    assertThat(bundle()).isEqualTo(before);

    later(Duration.ofDays(2));
    X509Certificate old = served(one);
    assertThat(bundle()).as("both authorities are published").hasSize(2).containsAll(before);
    assertThat(signer(old)).as("the old one still signs").isEqualTo(before.iterator().next());
    assertEverybodyIsTrusted();

    clock.move(Duration.ofMinutes(61));
    keeperOne.look();
    assertThat(signer(served(one))).as("the new one signs").isNotIn(before);
    assertThat(served(two)).isIn(old, served(one)); // it may have seen the Secret change
    assertEverybodyIsTrusted();
    keeperTwo.look();
    assertThat(served(two)).isEqualTo(served(one));

    later(Duration.ofDays(130));
    assertThat(bundle()).as("the old one has ended").hasSize(1).doesNotContainAnyElementsOf(before);
    assertEverybodyIsTrusted();
  }

  @Test
  void certificateThatIsLost_isIssuedAgain_andTheOldOneIsTrustedWhileItIsServed() throws Exception {
    X509Certificate first = served(one);
    Set<X509Certificate> before = bundle();
    client.secrets().inNamespace(NAMESPACE).withName(SharedCertificate.SECRET).delete();

    lookAll();
    assertThat(served(one)).as("API servers do not know the new one yet").isEqualTo(first);
    assertThat(bundle()).hasSize(2).containsAll(before);
    assertEverybodyIsTrusted();

    later(CertificateKeeper.SETTLING);
    assertThat(served(one)).isNotEqualTo(first).isEqualTo(served(two));
    assertEverybodyIsTrusted();

    later(Duration.ofMinutes(61));
    assertThat(bundle()).as("nobody serves the old one").hasSize(1).isNotEqualTo(before);
    assertEverybodyIsTrusted();
  }

  @Test
  void configurationThatIsDeletedOrReplaced_isBackWithItsBundle_whileReplicasServe()
      throws Exception {
    Set<X509Certificate> before = bundle();
    client.resources(MutatingWebhookConfiguration.class).withName("berth").delete();

    await()
        .atMost(SOON)
        .until(
            () ->
                client.resources(MutatingWebhookConfiguration.class).withName("berth").get()
                    != null);
    await().atMost(SOON).untilAsserted(() -> assertThat(bundle()).isEqualTo(before));
    assertThat(keeperOne.certificateProblem()).as("it could serve all the time").isEmpty();

    try (InputStream yaml = Files.newInputStream(WEBHOOKS)) {
      for (HasMetadata object : client.load(yaml).items()) {
        client.resource(object).delete();
        client.resource(object).create();
      }
    }

    await().atMost(SOON).untilAsserted(() -> assertThat(bundle()).isEqualTo(before));
    assertEverybodyIsTrusted();
  }

  @Test
  void replicasWithUrlsOfTheirOwn_leaveTheLeadersAlone() throws Exception {
    WebhookRegistration leaders =
        new WebhookRegistration(
            client, Optional.of(URI.create("https://leader:1/")), true, () -> true);
    WebhookRegistration others =
        new WebhookRegistration(
            client, Optional.of(URI.create("https://other:2/")), true, () -> false);
    String bundle = keeperOne.live().caBundle();

    leaders.update(bundle);
    others.update(bundle);

    assertThat(
            client
                .resources(ValidatingWebhookConfiguration.class)
                .withName("berth")
                .get()
                .getWebhooks())
        .extracting(hook -> hook.getClientConfig().getUrl())
        .containsExactly(
            "https://leader:1/validate/configs",
            "https://leader:1/validate/configs", // of ConfigMaps with policies
            "https://leader:1/validate/workloads");
  }

  @Test
  void replicaThatBeginsToLead_isNotRegistered_beforeItsOwnUrlIs() {
    AtomicBoolean leads = new AtomicBoolean();
    WebhookRegistration registration =
        new WebhookRegistration(
            client, Optional.of(URI.create("https://here:3/")), true, leads::get);
    registration.update(keeperOne.live().caBundle());
    assertThat(registration.hasToMove()).as("it is the leader's that is called").isFalse();

    leads.set(true);
    assertThat(registration.hasToMove()).isTrue();
    registration.update(keeperOne.live().caBundle());

    assertThat(registration.hasToMove()).isFalse();
  }

  @Test
  void authorities_areInAConfigMapWithoutTheirKeys_alsoAfterTheyChange_orItIsDeleted()
      throws Exception {
    assertThat(authorityConfigMap()).isEqualTo(Map.of("ca.crt", keeperOne.live().caBundle()));

    client.configMaps().inNamespace(NAMESPACE).withName("berth-ca").delete();
    lookAll();
    assertThat(authorityConfigMap()).isEqualTo(Map.of("ca.crt", keeperOne.live().caBundle()));

    later(Duration.ofDays(244));
    assertThat(bundle()).hasSize(2);
    assertThat(certificates(authorityConfigMap().get("ca.crt").getBytes(StandardCharsets.US_ASCII)))
        .isEqualTo(bundle());
  }

  private Map<String, String> authorityConfigMap() {
    return client.configMaps().inNamespace(NAMESPACE).withName("berth-ca").get().getData();
  }

  private void assertEverybodyIsTrusted() throws Exception {
    assertThat(signer(served(one))).isNotNull();
    assertThat(signer(served(two))).isNotNull();
  }

  /** Returns the signer of the certificate, among the authorities that the API server trusts. */
  private X509Certificate signer(X509Certificate certificate) throws Exception {
    for (X509Certificate authority : bundle()) {
      try {
        certificate.verify(authority.getPublicKey());
        assertThat(clock.instant())
            .isBetween(authority.getNotBefore().toInstant(), authority.getNotAfter().toInstant());
        return authority;
      } catch (GeneralSecurityException e) {
        assertThat(e).as("another authority signed it").isNotNull();
      }
    }
    throw new AssertionError(
        "nobody that is trusted signed " + certificate.getSubjectX500Principal());
  }

  /** Returns the authorities in the webhook configurations, which must be the same in both. */
  private Set<X509Certificate> bundle() throws Exception {
    Set<String> bundles = new HashSet<>();
    client
        .resources(MutatingWebhookConfiguration.class)
        .withName("berth")
        .get()
        .getWebhooks()
        .forEach(hook -> bundles.add(hook.getClientConfig().getCaBundle()));
    client
        .resources(ValidatingWebhookConfiguration.class)
        .withName("berth")
        .get()
        .getWebhooks()
        .forEach(hook -> bundles.add(hook.getClientConfig().getCaBundle()));
    assertThat(bundles).hasSize(1).doesNotContainNull();
    return certificates(Base64.getDecoder().decode(bundles.iterator().next()));
  }

  private static Set<X509Certificate> certificates(byte[] pem) throws Exception {
    Set<X509Certificate> authorities = new HashSet<>();
    CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem))
        .forEach(each -> authorities.add((X509Certificate) each));
    return authorities;
  }

  /** Returns the certificate that a new connection receives. */
  private static X509Certificate served(WebhookEndpoint replica) throws Exception {
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, new TrustManager[] {new Anyone()}, new SecureRandom());
    try (SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket("localhost", replica.port())) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /**
   * Accepts any certificate: the test checks signatures itself, and its clock is not the machine's.
   */
  private static final class Anyone implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
