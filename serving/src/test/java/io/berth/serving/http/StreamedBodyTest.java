package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalRules;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bodies that are written piece by piece, over TLS. */
class StreamedBodyTest {
  private static final String END = "end";
  private static final int MANY = 40;

  /** More than twice the timeout of idle requests in this test, which is about ten seconds. */
  private static final int QUIET_SECONDS = 23;

  private final CertificateState certificate =
      CertificateState.begin(
          new CertificateAuthority(new SecureRandom()),
          RenewalRules.usual(List.of("localhost")),
          Instant.now());
  private final BlockingQueue<String> pieces = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> ended = new LinkedBlockingQueue<>();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private HttpServer server;

  /** Sends the pieces as lines; {@code /flood} is sent without an end. */
  private final class Lines implements StreamedBody {
    private final boolean flood;

    Lines(boolean flood) {
      this.flood = flood;
      open.incrementAndGet();
    }

    @Override
    public void write(BodyStream to) throws IOException, InterruptedException {
      try {
        byte[] large = new byte[1 << 20];
        while (flood) {
          to.write(large);
        }
        while (to.isOpen()) {
          String piece = pieces.poll(10, TimeUnit.MILLISECONDS);
          if (END.equals(piece)) {
            return;
          }
          if (piece != null) {
            to.write((piece + "\n").getBytes(StandardCharsets.UTF_8));
          }
        }
      } catch (IOException e) {
        failed.incrementAndGet();
        throw e;
      }
    }

    @Override
    public void close() {
      open.decrementAndGet();
      ended.add(END);
    }
  }

  private final class Answers implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      return head.path().equals("/short")
          ? HttpAnswer.text(200, "short")
          : HttpAnswer.streamed(200, "text/plain", new Lines(head.path().equals("/flood")));
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.start(
            new ServerSettings(
                0,
                "--port",
                64,
                64,
                8,
                1 << 20,
                1 << 10,
                2 << 20,
                4 << 20,
                Duration.ofMillis(100),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1)),
            Optional.of(new LiveCertificate(certificate)),
            new Answers());
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void awaitEnds(int bodies) throws InterruptedException {
    for (int i = 0; i < bodies; i++) {
      assertThat(ended.poll(HttpServer.WRITE_STALL.toSeconds() + 20, TimeUnit.SECONDS))
          .as("body %d", i)
          .isEqualTo(END);
    }
    assertThat(open).hasValue(0);
  }

  private HttpClient client(Version version) throws Exception {
    return HttpClient.newBuilder()
        .sslContext(Trusting.authorities(certificate.caBundle()))
        .version(version)
        .build();
  }

  private HttpResponse<InputStream> get(HttpClient client, String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path)).build(),
        BodyHandlers.ofInputStream());
  }

  private static BufferedReader lines(HttpResponse<InputStream> answer) {
    return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void pieces_arriveOneByOne_andTheBodyEnds(Version version) throws Exception {
    try (HttpClient client = client(version)) {
      HttpResponse<InputStream> answer = get(client, "/lines");
      assertThat(answer.statusCode()).as("before the first piece").isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Length")).isEmpty();
      try (BufferedReader lines = lines(answer)) {
        for (String piece : List.of("one", "two", "three")) {
          pieces.add(piece);
          assertThat(lines.readLine()).isEqualTo(piece);
        }
        pieces.add(END);
        assertThat(lines.readLine()).isNull();
      }
      awaitEnds(1);
      assertThat(failed).hasValue(0);
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void body_inWhichNothingHappens_isNotIdle(Version version) throws Exception {
    try (HttpClient client = client(version);
        BufferedReader lines = lines(get(client, "/lines"))) {
      assertThat(new CountDownLatch(1).await(QUIET_SECONDS, TimeUnit.SECONDS)).isFalse();
      pieces.add("late");
      assertThat(lines.readLine()).isEqualTo("late");
      pieces.add(END);
      assertThat(lines.readLine()).isNull();
    }
  }

  /** One address may have four requests in progress in this test. */
  @Test
  void bodies_areNoneOfTheRequestsThatMayRun() throws Exception {
    try (HttpClient client = client(Version.HTTP_2)) {
      List<HttpResponse<InputStream>> answers = new ArrayList<>();
      for (int i = 0; i < MANY; i++) {
        answers.add(get(client, "/lines"));
      }
      try (BufferedReader lines = lines(get(client, "/short"))) {
        assertThat(lines.readLine()).isEqualTo("short");
      }
      assertThat(open).hasValue(MANY);
      for (int i = 0; i < MANY; i++) {
        pieces.add(END);
      }
      awaitEnds(MANY);
      for (HttpResponse<InputStream> answer : answers) {
        answer.body().close();
      }
    }
  }

  @Test
  void clientThatGoes_endsTheBody_alsoIfNothingIsSent() throws Exception {
    try (HttpClient client = client(Version.HTTP_2)) {
      HttpResponse<InputStream> answer = get(client, "/lines");
      assertThat(open).hasValue(1);
      answer.body().close();
      awaitEnds(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void clientThatDoesNotRead_isGivenUp(Version version) throws Exception {
    try (HttpClient client = client(version)) {
      HttpResponse<InputStream> answer = get(client, "/flood");
      awaitEnds(1);
      assertThat(failed).hasValue(1);
      answer.body().close();
    }
    try (HttpClient client = client(version);
        BufferedReader lines = lines(get(client, "/short"))) {
      assertThat(lines.readLine()).isEqualTo("short");
    }
  }

  @Test
  void bodyInProgress_endsWithTheServer() throws Exception {
    try (HttpClient client = client(Version.HTTP_2)) {
      HttpResponse<InputStream> answer = get(client, "/lines");
      assertThat(server.stop(Duration.ofMillis(100))).isFalse();
      awaitEnds(1);
      answer.body().close();
    }
  }
}
