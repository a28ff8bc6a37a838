package io.berth.serving.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.serving.http.HttpAnswer;
import io.berth.serving.http.HttpServer;
import io.berth.serving.http.RequestHandler;
import io.berth.serving.http.RequestHead;
import io.berth.serving.http.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that serves only clients with a certificate of a given authority. */
class ClientAuthorityTest {
  private static final char[] NO_PASSWORD = {};
  private static final RenewalRules RULES = RenewalRules.usual(List.of("localhost"));

  /** The common name of all certificates that a {@link CertificateAuthority} makes. */
  private static final String NAME = "berth-webhook";

  @TempDir private Path folder;

  private final CertificateAuthority maker = new CertificateAuthority(new SecureRandom());
  private final CertificateState own = CertificateState.begin(maker, RULES, Instant.now());
  private final LiveCertificate live = new LiveCertificate(own);
  private final KeyAndCertificate authority = maker.authority(Instant.now(), Duration.ofDays(1));
  private final KeyAndCertificate stranger = maker.authority(Instant.now(), Duration.ofDays(1));
  private Path file;

  @BeforeEach
  void writeAuthority() throws IOException {
    file = folder.resolve("ca.crt");
    Files.writeString(file, Pem.write(List.of(authority.certificate())));
  }

  /** Answers every request. */
  private static final class Open implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      return HttpAnswer.text(200, "reviewed");
    }
  }

  private HttpServer serve(String... names) throws IOException {
    return HttpServer.startForClients(
        ServerSettings.reviews(0), live, ClientAuthority.read(file, Set.of(names)), new Open());
  }

  private KeyManager[] signedBy(KeyAndCertificate signer) throws Exception {
    KeyAndCertificate client =
        maker.server(signer, List.of("api-server"), Instant.now(), Duration.ofHours(1));
    KeyStore keys = KeyStore.getInstance(KeyStore.getDefaultType());
    keys.load(null, null);
    keys.setKeyEntry("client", client.key(), NO_PASSWORD, new Certificate[] {client.certificate()});
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(keys, NO_PASSWORD);
    return factory.getKeyManagers();
  }

  private int post(HttpServer server, KeyManager... keys) throws Exception {
    KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
    trusted.load(null, null);
    trusted.setCertificateEntry("berth", own.authorities().getFirst());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys, trust.getTrustManagers(), null);
    return post(server, tls);
  }

  private static int post(HttpServer server, SSLContext tls) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/"))
            .timeout(Duration.ofSeconds(20))
            .POST(BodyPublishers.ofString("{}"))
            .build();
    try (HttpClient client = HttpClient.newBuilder().sslContext(tls).build()) {
      return client.send(request, BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void certificateOfTheAuthority_isAccepted() throws Exception {
    try (HttpServer server = serve()) {
      assertThat(post(server, signedBy(authority))).isEqualTo(200);
    }
  }

  @Test
  void clientWithoutACertificate_isRejected() throws Exception {
    try (HttpServer server = serve()) {
      assertThatThrownBy(() -> post(server)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void certificateOfAnotherAuthority_isRejected() throws Exception {
    try (HttpServer server = serve()) {
      assertThatThrownBy(() -> post(server, signedBy(stranger))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void nameOfTheCertificate_mustBeAccepted() throws Exception {
    try (HttpServer server = serve("kube-apiserver-webhook", NAME)) {
      assertThat(post(server, signedBy(authority))).isEqualTo(200);
    }
    try (HttpServer server = serve("kube-apiserver-webhook")) {
      assertThatThrownBy(() -> post(server, signedBy(authority))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void replica_isAccepted() throws Exception {
    try (HttpServer server = serve("kube-apiserver-webhook")) {
      assertThat(post(server, new LiveCertificate(own).context())).isEqualTo(200);
    }
  }

  @Test
  void fileThatChanges_isReadAgain() throws Exception {
    try (HttpServer server = serve()) {
      assertThat(post(server, signedBy(authority))).isEqualTo(200);

      Files.writeString(file, Pem.write(List.of(stranger.certificate())));
      Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2030-01-01T00:00:00Z")));

      assertThat(post(server, signedBy(stranger))).isEqualTo(200);
      assertThatThrownBy(() -> post(server, signedBy(authority))).isInstanceOf(IOException.class);
    }
  }

  @Test
  void fileThatBecomesUnreadable_leavesTheAuthorityInPlace() throws Exception {
    try (HttpServer server = serve()) {
      Files.delete(file);

      assertThat(post(server, signedBy(authority))).isEqualTo(200);
    }
  }

  @Test
  void fileThatBecomesUnusable_isReportedOnce_howeverManyClientsConnect() throws Exception {
    List<String> warnings = new ArrayList<>();
    ClientAuthority read = ClientAuthorityFile.read(file, Set.of(), () -> 0, warnings::add);
    Files.writeString(file, "nothing");
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2030-01-01T00:00:00Z")));
    for (int i = 0; i < 3; i++) {
      assertThat(read.issuers()).containsExactly(authority.certificate());
    }
    assertThat(warnings).hasSize(1);
    assertThat(warnings.getFirst()).contains("ca.crt contains no certificate");

    Files.delete(file);
    for (int i = 0; i < 3; i++) {
      assertThat(read.issuers()).containsExactly(authority.certificate());
    }
    assertThat(warnings).hasSize(2);

    Files.writeString(file, Pem.write(List.of(stranger.certificate())));
    Files.setLastModifiedTime(file, FileTime.from(Instant.parse("2030-01-02T00:00:00Z")));
    assertThat(read.issuers()).containsExactly(stranger.certificate());
    assertThat(warnings).hasSize(2);
  }

  @Test
  void fileThatBecomesUsable_withoutALaterTime_isReadAfterAPause() throws Exception {
    AtomicLong nanos = new AtomicLong();
    ClientAuthority read = ClientAuthorityFile.read(file, Set.of(), nanos::get, warning -> {});
    FileTime changed = FileTime.from(Instant.parse("2030-01-01T00:00:00Z"));
    Files.writeString(file, "nothing");
    Files.setLastModifiedTime(file, changed);
    assertThat(read.issuers()).containsExactly(authority.certificate());

    Files.writeString(file, Pem.write(List.of(stranger.certificate())));
    Files.setLastModifiedTime(file, changed);
    assertThat(read.issuers()).containsExactly(authority.certificate());
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
    assertThat(read.issuers()).containsExactly(stranger.certificate());
  }

  @Test
  void fileWithoutACertificate_isNamed() throws Exception {
    Files.writeString(file, "nothing");

    assertThatThrownBy(() -> ClientAuthority.read(file, Set.of()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ca.crt contains no certificate");
  }
}
