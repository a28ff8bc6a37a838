package io.berth.operator.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.operator.record.BerthMetrics;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.webhook.binding.LiveCatalog;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two replicas and their certificates through a year and more, by a clock that the test moves. At
 * every step, whoever trusts what the webhook configurations say trusts both replicas.
 */
class CertificateRenewalTest {

  private static final String NAMESPACE = "berth-system";
  private static final Path WEBHOOKS = Path.of("..", "deploy", "manifests", "80-webhooks.yaml");

  private final MovedClock clock = new MovedClock();
  private final BerthMetrics metrics = new BerthMetrics("berth");
  private Sandbox sandbox;
  private KubernetesClient client;
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
    one = replica();
    two = replica();
    lookAll();
  }

  @AfterEach
  void stop() {
    one.close();
    two.close();
    client.close();
    sandbox.close();
    metrics.close();
  }

  private WebhookEndpoint replica() throws IOException {
    return WebhookEndpoint.start(
        client, NAMESPACE, 0, Optional.empty(), new LiveCatalog(NAMESPACE), metrics, clock);
  }

  private void lookAll() {
    one.look();
    two.look();
  }

  private void later(Duration time) {
    clock.now = clock.now.plus(time);
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

    clock.now = clock.now.plus(Duration.ofMinutes(61));
    one.look();
    assertThat(signer(served(one))).as("the new one signs").isNotIn(before);
    assertThat(served(two)).as("the other replica has not looked yet").isEqualTo(old);
    assertEverybodyIsTrusted();
    two.look();
    assertThat(served(two)).isEqualTo(served(one));

    later(Duration.ofDays(130));
    assertThat(bundle()).as("the old one has ended").hasSize(1).doesNotContainAnyElementsOf(before);
    assertEverybodyIsTrusted();
  }

  @Test
  void certificateThatIsLost_isMadeAnew_andTrusted() throws Exception {
    X509Certificate first = served(one);
    client.secrets().inNamespace(NAMESPACE).withName(SharedCertificate.SECRET).delete();

    lookAll();

    assertThat(served(one)).isNotEqualTo(first).isEqualTo(served(two));
    assertEverybodyIsTrusted();
  }

  private void assertEverybodyIsTrusted() throws Exception {
    assertThat(signer(served(one))).isNotNull();
    assertThat(signer(served(two))).isNotNull();
  }

  /** Whose signature the certificate carries, among those that the API server trusts. */
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

  /** The authorities in both webhook configurations, which say the same. */
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
    assertThat(bundles).hasSize(1);
    byte[] pem = Base64.getDecoder().decode(bundles.iterator().next());
    Set<X509Certificate> authorities = new HashSet<>();
    CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem))
        .forEach(each -> authorities.add((X509Certificate) each));
    return authorities;
  }

  /** The certificate that a new connection is given. */
  private static X509Certificate served(WebhookEndpoint replica) throws Exception {
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(null, new TrustManager[] {new Anyone()}, new SecureRandom());
    try (SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket("localhost", replica.port())) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Trusts by no date: the test looks at signatures itself, and its clock is not the machine's. */
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

  private static final class MovedClock extends Clock {
    private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
