package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.serving.http.PlainClient.Reply;
import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients of one address cannot take what requests of another address need. */
class AddressSharesTest {
  private static final RenewalRules RULES = RenewalRules.usual(List.of("localhost"));
  private static final String GREEDY = "127.0.0.2";
  private static final String ORDINARY = "127.0.0.1";
  private static final int CONNECTIONS = 5;
  private static final int STREAMS_A_CONNECTION = 200;

  /** The time for which the attack goes on; set the property for a longer measurement. */
  private static final Duration ATTACK =
      Duration.ofSeconds(Integer.getInteger("attack.seconds", 3));

  private static final ServerSettings SMALL =
      new ServerSettings(
          0,
          "--port",
          64,
          64,
          32,
          1 << 20,
          1 << 10,
          2 << 20,
          4 << 20,
          Duration.ofMinutes(2),
          Duration.ofMinutes(2),
          Duration.ofMinutes(2));

  private final CertificateState certificate =
      CertificateState.begin(new CertificateAuthority(new SecureRandom()), RULES, Instant.now());
  private final Semaphore begun = new Semaphore(0);
  private final Semaphore entered = new Semaphore(0);
  private final CountDownLatch released = new CountDownLatch(1);
  private SSLContext tls;
  private HttpServer server;

  private final class Sizes implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      begun.release();
      return Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      if (head.path().equals("/error")) {
        throw new AssertionError("an Error for this test");
      }
      if (head.path().equals("/wait")) {
        entered.release();
        try {
          released.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return HttpAnswer.text(200, String.valueOf(body.length));
    }
  }

  @BeforeEach
  void prepare() throws Exception {
    tls = Trusting.authorities(certificate.caBundle());
  }

  @AfterEach
  void stop() {
    released.countDown();
    server.close();
  }

  private void serve(ServerSettings settings) throws IOException {
    server = HttpServer.start(settings, Optional.of(new LiveCertificate(certificate)), new Sizes());
  }

  private HttpClient client(String address) throws IOException {
    return HttpClient.newBuilder()
        .sslContext(tls)
        .version(Version.HTTP_2)
        .localAddress(InetAddress.getByName(address))
        .build();
  }

  private PlainClient connect(String address) throws IOException {
    return new PlainClient(
        tls,
        new Socket(
            InetAddress.getByName("localhost"), server.port(), InetAddress.getByName(address), 0));
  }

  private HttpRequest.Builder to(String path) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
        .timeout(Duration.ofSeconds(20));
  }

  private HttpRequest post(String path, int size) {
    return to(path).POST(BodyPublishers.ofByteArray(new byte[size])).build();
  }

  /** Returns a request that announces a body of one byte and never sends it. */
  private HttpRequest withoutItsBody() {
    return to("/").POST(BodyPublishers.fromPublisher(subscriber -> {}, 1)).build();
  }

  @Test
  void streamsWithoutBodies_renewedForAsLongAsTheyLike_delayNoReviewOfAnotherAddress()
      throws Exception {
    serve(ServerSettings.reviews(0));
    AtomicBoolean goesOn = new AtomicBoolean(true);
    List<HttpClient> attackers = new ArrayList<>();
    try (HttpClient apiServer = client(ORDINARY)) {
      apiServer.send(post("/", 2_000), BodyHandlers.discarding());
      for (int i = 0; i < CONNECTIONS; i++) {
        HttpClient attacker = client(GREEDY);
        attackers.add(attacker);
        attacker.send(post("/", 1), BodyHandlers.discarding());
        for (int j = 0; j < STREAMS_A_CONNECTION; j++) {
          renew(attacker, goesOn);
        }
      }
      assertThat(begun.tryAcquire(CONNECTIONS * STREAMS_A_CONNECTION, 30, TimeUnit.SECONDS))
          .as("the streams are open")
          .isTrue();

      long slowest = 0;
      int reviews = 0;
      long end = System.nanoTime() + ATTACK.toNanos();
      while (System.nanoTime() < end) {
        long start = System.nanoTime();
        assertThat(apiServer.send(post("/", 2_000), BodyHandlers.ofString()).body())
            .isEqualTo("2000\n");
        slowest = Math.max(slowest, System.nanoTime() - start);
        reviews++;
      }

      assertThat(Duration.ofNanos(slowest))
          .as("the slowest of %d reviews", reviews)
          .isLessThan(Duration.ofSeconds(1));
    } finally {
      goesOn.set(false);
      attackers.forEach(HttpClient::shutdownNow);
    }
  }

  private void renew(HttpClient attacker, AtomicBoolean goesOn) {
    var _ =
        attacker
            .sendAsync(withoutItsBody(), BodyHandlers.discarding())
            .whenComplete(
                (answer, failure) -> {
                  if (goesOn.get()) {
                    renew(attacker, goesOn);
                  }
                });
  }

  @Test
  void completeRequestsOfOneAddress_leaveRoomForThoseOfAnother() throws Exception {
    serve(SMALL);
    try (HttpClient greedy = client(GREEDY);
        HttpClient other = client(ORDINARY)) {
      greedy.send(post("/", 1), BodyHandlers.discarding());
      List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        asked.add(greedy.sendAsync(post("/wait", 1), BodyHandlers.ofString()));
      }
      HttpResponse<?> first =
          (HttpResponse<?>)
              CompletableFuture.anyOf(asked.toArray(CompletableFuture[]::new))
                  .get(30, TimeUnit.SECONDS);
      assertThat(first.statusCode()).isEqualTo(503);
      assertThat(first.body().toString()).contains("too many requests of 127.0.0.2");
      assertThat(entered.tryAcquire(16, 30, TimeUnit.SECONDS)).as("half of 32 run").isTrue();

      assertThat(other.send(post("/", 3), BodyHandlers.ofString()).body()).isEqualTo("3\n");

      released.countDown();
    }
  }

  @Test
  void connectionsOfOneAddress_leaveRoomForThoseOfAnother() throws Exception {
    serve(SMALL);
    List<PlainClient> open = new ArrayList<>();
    try {
      for (int i = 0; i < 80; i++) {
        open.add(connect(GREEDY));
      }

      try (PlainClient other = connect(ORDINARY)) {
        assertThat(other.head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
      }

      // The share is half of 64. What was idle longest has given way.
      assertThat(open.getFirst().reply()).isEqualTo(Reply.CLOSED);
      assertThat(open.getLast().head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
    } finally {
      for (PlainClient each : open) {
        each.close();
      }
    }
  }

  @Test
  void incompleteRequests_leaveRoomForCompleteOnesOfTheSameAddress() throws Exception {
    serve(SMALL);
    List<PlainClient> slow = new ArrayList<>();
    try (PlainClient complete = connect(GREEDY)) {
      for (int i = 0; i < 16; i++) {
        slow.add(connect(GREEDY).head("POST", "/", 2_000).send("x".repeat(1_020)));
      }
      assertThat(begun.tryAcquire(16, 30, TimeUnit.SECONDS)).isTrue();
      try (PlainClient another = connect(GREEDY)) {
        another.head("POST", "/", 2_000).send("x".repeat(1_020));
        assertThat(another.reply().status()).as("the share is used up").isEqualTo("503");
      }

      complete.send(
          "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n" + "x".repeat(900));

      assertThat(complete.reply().body()).isEqualTo("900\n");
    } finally {
      for (PlainClient each : slow) {
        each.close();
      }
    }
  }

  @Test
  void connectionThatHasJustBeenUsed_isNotReplacedByNewOnesOfTheSameAddress() throws Exception {
    serve(SMALL);
    List<PlainClient> slow = new ArrayList<>();
    try (PlainClient used = connect(GREEDY)) {
      assertThat(used.head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
      for (int i = 0; i < 31; i++) {
        slow.add(connect(GREEDY).head("POST", "/", 3));
      }
      assertThat(begun.tryAcquire(32, 30, TimeUnit.SECONDS)).isTrue();
      used.head("POST", "/", 3).send("abc");
      assertThat(used.reply().body()).isEqualTo("3\n");

      assertThatThrownBy(() -> connect(GREEDY))
          .as("beyond the share")
          .isInstanceOf(IOException.class);

      assertThat(used.head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
    } finally {
      for (PlainClient each : slow) {
        each.close();
      }
    }
  }

  @Test
  void connectionsBeyondThePaceOfAnAddress_areClosedBeforeTheirHandshake() throws Exception {
    serve(ServerSettings.reviews(0));
    int burst = ConnectionPace.BURST_SECONDS * ServerSettings.reviews(0).connectionsPerSecond();
    List<Socket> open = new ArrayList<>();
    try {
      for (int i = 0; i < 2 * burst; i++) {
        open.add(
            new Socket(
                InetAddress.getByName("localhost"),
                server.port(),
                InetAddress.getByName(GREEDY),
                0));
      }

      Socket last = open.getLast();
      last.setSoTimeout(20_000);
      assertThat(last.getInputStream().read()).as("end of the stream").isEqualTo(-1);
      try (PlainClient other = connect(ORDINARY)) {
        assertThat(other.head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
      }
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  @Test
  void largeBodiesOfOneAddress_leaveRoomForThoseOfAnother() throws Exception {
    serve(SMALL);
    List<PlainClient> slow = new ArrayList<>();
    try (PlainClient other = connect(ORDINARY)) {
      for (int i = 0; i < 4; i++) {
        slow.add(connect(GREEDY).head("POST", "/", 1 << 20).send(new byte[1 << 19]));
      }
      assertThat(begun.tryAcquire(4, 30, TimeUnit.SECONDS)).isTrue();

      assertThat(other.head("POST", "/", 400_000).send(new byte[400_000]).reply().body())
          .isEqualTo("400000\n");
    } finally {
      for (PlainClient each : slow) {
        each.close();
      }
    }
  }

  @Test
  void anErrorOfTheHandler_freesWhatItsRequestHeld() throws Exception {
    serve(SMALL);
    try (HttpClient client = client(ORDINARY)) {
      for (int i = 0; i < 2 * SMALL.maxRequests(); i++) {
        assertThat(client.send(post("/error", 1), BodyHandlers.discarding()).statusCode())
            .isEqualTo(500);
      }

      assertThat(client.send(post("/", 3), BodyHandlers.ofString()).body()).isEqualTo("3\n");
      assertThat(server.stop(Duration.ofSeconds(30))).as("no request is in progress").isTrue();
    }
  }
}
