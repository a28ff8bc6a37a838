package io.berth.webhook.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.serving.http.PortTakenException;
import io.berth.serving.http.RequestObserver;
import io.berth.serving.http.ServerSettings;
import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalPlan;
import io.berth.serving.tls.RenewalRules;
import io.berth.webhook.binding.ConfigCatalog;
import io.berth.webhook.binding.LiveCatalog;
import io.berth.webhook.validation.ConfigValidator;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class WebhookServerTest {
  private static final RenewalRules RULES = RenewalRules.usual(List.of("localhost", "127.0.0.1"));
  private static final String REVIEW =
      """
      {"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u1","operation":"CREATE",
      "kind":{"group":"","version":"v1","kind":"Pod"},"namespace":"team-a","object":{"metadata":{"name":"p"},"spec":{}}}}
      """;

  private final CertificateAuthority maker = new CertificateAuthority(new SecureRandom());
  private final CertificateState certificate = CertificateState.begin(maker, RULES, Instant.now());
  private final LiveCertificate live = new LiveCertificate(certificate);
  private final BlockingQueue<String> answered = new LinkedBlockingQueue<>();
  private Supplier<ConfigCatalog> catalog = new LiveCatalog("berth-system");
  private WebhookServer server;
  private HttpClient client;

  @BeforeEach
  void start() throws Exception {
    AdmissionService service =
        new AdmissionService(
            () -> catalog.get(),
            new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
            new ConfigValidator((name, spec) -> List.of()),
            AdmissionObserver.none());
    server =
        WebhookServer.start(
            ServerSettings.reviews(0),
            live,
            service,
            (path, status, nanos) -> answered.add(path + " " + status));
    client = HttpClient.newBuilder().sslContext(trusting(certificate.caBundle())).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void aReview_isAnsweredWithItsUid() throws Exception {
    HttpResponse<String> answer = post("/mutate/pods", "application/json", REVIEW);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(answer.body()).contains("\"uid\":\"u1\"").contains("\"allowed\":true");
    assertThat(answered.poll(10, TimeUnit.SECONDS)).isEqualTo("/mutate/pods 200");
  }

  @Test
  void badRequests_areAnsweredWithWhatIsWrong_andTheServerGoesOn() throws Exception {
    assertAnswer(post("/elsewhere", "application/json", REVIEW), 404, "/mutate/pods");
    assertAnswer(post("/mutate/pods", "text/plain", REVIEW), 415, "application/json");
    assertAnswer(post("/mutate/pods", "application/json", "{"), 400, "not JSON");
    assertAnswer(post("/mutate/pods", "application/json", ""), 400, "AdmissionReview");
    assertAnswer(
        post("/mutate/pods", "application/json", REVIEW.replace("/v1\"", "/v1beta1\"")),
        400,
        "admissionReviewVersions");
    assertAnswer(
        post("/mutate/pods", "application/json", REVIEW.replace("\"uid\":\"u1\",", "")),
        400,
        "request.uid");
    assertAnswer(
        client.send(
            request("/mutate/pods").GET().build(),
            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)),
        405,
        "POST");

    assertThat(post("/mutate/pods", "application/json", REVIEW).statusCode()).isEqualTo(200);
  }

  /** Returns a review of this many bytes, whose UID is at its end. */
  private static byte[] review(int bytes) {
    String start = "{\"pad\":\"";
    String end = "\"," + REVIEW.strip().substring(1);
    return (start + "x".repeat(bytes - start.length() - end.length()) + end)
        .getBytes(StandardCharsets.UTF_8);
  }

  static Stream<Arguments> sizes() {
    return IntStream.of(8_191, 8_192, 8_193, 1 << 20, 8 * 1024 * 1024)
        .boxed()
        .flatMap(
            size ->
                IntStream.of(1_000, 8_192, Integer.MAX_VALUE)
                    .mapToObj(piece -> Arguments.of(size, piece)));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aReviewOfAnySize_isReadCompletely_inOnePieceAndInMany(int size, int pieceBytes)
      throws Exception {
    byte[] body = review(size);
    List<byte[]> pieces = new ArrayList<>();
    for (int from = 0; from < size; from += Math.min(pieceBytes, size - from)) {
      pieces.add(Arrays.copyOfRange(body, from, from + Math.min(pieceBytes, size - from)));
    }
    HttpResponse<String> answer =
        client.send(
            request("/mutate/pods")
                .header("Content-Type", "application/json")
                .POST(
                    pieces.size() == 1
                        ? HttpRequest.BodyPublishers.ofByteArray(body)
                        : HttpRequest.BodyPublishers.ofByteArrays(pieces))
                .build(),
            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("\"uid\":\"u1\"");
  }

  @Test
  void aBodyOfNoneOrOneByte_isNoReview() throws Exception {
    assertAnswer(post("/mutate/pods", "application/json", ""), 400, "AdmissionReview");
    assertAnswer(post("/mutate/pods", "application/json", "1"), 400, "AdmissionReview");
  }

  @Test
  void aBodyLargerThanAnyObject_isRefused() throws Exception {
    assertAnswer(
        post("/mutate/pods", "application/json", " ".repeat(8 * 1024 * 1024 + 1)), 413, "exceeds");
  }

  @Test
  void aFailureOfBerth_letsPodsPassWithAWarningAndLeavesConfigsToTheFailurePolicy()
      throws Exception {
    catalog =
        () -> {
          throw new IllegalStateException("broken for this test");
        };

    HttpResponse<String> pod = post("/mutate/pods", "application/json", REVIEW);
    assertThat(pod.body()).contains("\"allowed\":true").contains("BERTH-1706");
    assertAnswer(post("/validate/configs", "application/json", REVIEW), 500, "Berth's log");
  }

  @Test
  void aPortInUse_isReportedWithWhatToDo() {
    assertThatThrownBy(
            () ->
                WebhookServer.start(
                    ServerSettings.reviews(server.port()),
                    live,
                    new AdmissionService(
                        () -> catalog.get(),
                        new PodMutator(ConfigLookup.nothing(), InstantSource.system()),
                        new ConfigValidator((name, spec) -> List.of()),
                        AdmissionObserver.none()),
                    RequestObserver.none()))
        .isInstanceOf(PortTakenException.class)
        .hasMessageContaining("port " + server.port() + " is in use")
        .hasMessageContaining("--webhook-port");
  }

  @Test
  void aNewCertificate_isServedToNewConnectionsWhileOldOnesGoOn() throws Exception {
    assertThat(post("/mutate/pods", "application/json", REVIEW).statusCode()).isEqualTo(200);
    X509Certificate before = served();

    CertificateState renewed =
        certificate.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, Instant.now());
    live.exchange(renewed);

    assertThat(served()).isEqualTo(renewed.serverChain().getFirst()).isNotEqualTo(before);
    assertThat(post("/mutate/pods", "application/json", REVIEW).statusCode()).isEqualTo(200);
  }

  @Test
  void theManifestsNameThePathsThatAreServed() throws Exception {
    String manifests = Files.readString(repository().resolve("deploy/manifests/80-webhooks.yaml"));
    Matcher paths = Pattern.compile("path: (\\S+)").matcher(manifests);

    assertThat(paths.results().map(each -> each.group(1)).distinct().toList())
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(AdmissionPath.values()).map(AdmissionPath::path).toList());
  }

  private static Path repository() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("deploy/manifests"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  private static void assertAnswer(HttpResponse<String> answer, int status, String words) {
    assertThat(answer.statusCode()).isEqualTo(status);
    assertThat(answer.body()).contains(words);
  }

  private HttpResponse<String> post(String path, String type, String body) throws Exception {
    return client.send(
        request(path)
            .header("Content-Type", type)
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path));
  }

  private X509Certificate served() throws Exception {
    try (SSLSocket socket =
        (SSLSocket)
            trusting(certificate.caBundle())
                .getSocketFactory()
                .createSocket("localhost", server.port())) {
      socket.startHandshake();
      return (X509Certificate) socket.getSession().getPeerCertificates()[0];
    }
  }

  /** Returns the TLS context of a client that trusts an authority. */
  private static SSLContext trusting(String authorities) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    int count = 0;
    for (var each :
        CertificateFactory.getInstance("X.509")
            .generateCertificates(
                new ByteArrayInputStream(authorities.getBytes(StandardCharsets.US_ASCII)))) {
      store.setCertificateEntry("ca-" + count++, each);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
