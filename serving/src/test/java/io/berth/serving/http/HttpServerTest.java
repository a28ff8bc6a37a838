package io.berth.serving.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.berth.serving.http.PlainClient.Reply;
import io.berth.serving.tls.CertificateAuthority;
import io.berth.serving.tls.CertificateState;
import io.berth.serving.tls.LiveCertificate;
import io.berth.serving.tls.RenewalPlan;
import io.berth.serving.tls.RenewalRules;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
  private static final RenewalRules RULES = RenewalRules.usual(List.of("localhost"));
  private static final ServerSettings SMALL = small(Duration.ofMinutes(2));

  private static ServerSettings small(Duration timeout) {
    return small(timeout, 4 << 20);
  }

  private static ServerSettings small(Duration timeout, int discardedBytesPerSecond) {
    return new ServerSettings(
        0,
        "--port",
        64,
        64,
        32,
        1 << 20,
        1 << 10,
        2 << 20,
        discardedBytesPerSecond,
        timeout,
        timeout,
        Duration.ofSeconds(60));
  }

  private final CertificateAuthority maker = new CertificateAuthority(new SecureRandom());
  private final CertificateState certificate = CertificateState.begin(maker, RULES, Instant.now());
  private final LiveCertificate live = new LiveCertificate(certificate);
  private final CountDownLatch entered = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Semaphore begun = new Semaphore(0);
  private SSLContext tls;
  private HttpServer server;

  /**
   * Responds with the size of the body. Some paths reject the request instead, and {@code /wait}
   * blocks.
   */
  private final class Sizes implements RequestHandler {
    @Override
    public Optional<HttpAnswer> refusal(RequestHead head) {
      begun.release();
      return head.path().startsWith("/refuse/")
          ? Optional.of(
              HttpAnswer.text(Integer.parseInt(head.path().substring("/refuse/".length())), "no"))
          : Optional.empty();
    }

    @Override
    public HttpAnswer answer(RequestHead head, byte[] body) {
      if (head.path().equals("/wait")) {
        entered.countDown();
        try {
          released.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      }
      return HttpAnswer.text(200, body.length + (head.fromReplica() ? " of a replica" : ""));
    }
  }

  @BeforeEach
  void start() throws Exception {
    tls = Trusting.authorities(certificate.caBundle());
    server = HttpServer.start(SMALL, Optional.of(live), new Sizes());
  }

  @AfterEach
  void stop() {
    released.countDown();
    server.close();
  }

  /** Starts a server with short timeouts. */
  private void startImpatient() throws IOException {
    server.close();
    server = HttpServer.start(small(Duration.ofSeconds(1)), Optional.of(live), new Sizes());
  }

  private PlainClient connect() throws IOException {
    return new PlainClient(tls, server.port());
  }

  private HttpClient client(Version version) {
    return HttpClient.newBuilder().sslContext(tls).version(version).build();
  }

  private HttpRequest post(String path, int size) {
    return HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + path))
        .POST(BodyPublishers.ofByteArray(new byte[size]))
        .build();
  }

  @ParameterizedTest
  @CsvSource({"404, 200", "405, 200", "415, 200", "404, 500000", "415, 500000", "405, 0"})
  void aRequestThatIsRefusedBeforeItsBodyComes_leavesTheConnectionUsable(int status, int size)
      throws Exception {
    try (PlainClient client = connect()) {
      client.head("POST", "/refuse/" + status, size);
      client.send(new byte[size]);
      assertThat(client.reply().status()).isEqualTo(String.valueOf(status));

      client.head("POST", "/", 3).send("abc");

      assertThat(client.reply().body()).isEqualTo("3\n");
    }
  }

  @Test
  void aRefusedBodyThatNeverComesIsWaitedForOnlySoLong() throws Exception {
    startImpatient();
    try (PlainClient client = connect()) {
      client.head("POST", "/refuse/404", 10);

      assertThat(client.reply().status()).isEqualTo("408");
      assertThat(client.reply()).isEqualTo(Reply.CLOSED);
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void bothVersionsOfHttp_areSpoken(Version version) throws Exception {
    try (HttpClient client = client(version)) {
      HttpResponse<String> answer = client.send(post("/", 70_000), BodyHandlers.ofString());

      assertThat(answer.version()).isEqualTo(version);
      assertThat(answer.body()).isEqualTo("70000\n");
      assertThat(client.send(post("/refuse/404", 70_000), BodyHandlers.ofString()).statusCode())
          .isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {(1 << 20) + 1, 1 << 30})
  void aBodyThatIsTooLarge_isRefusedWhenItIsAnnounced(int size) throws Exception {
    try (PlainClient client = connect()) {
      Reply reply = client.head("POST", "/", size).reply();

      assertThat(reply.status()).isEqualTo("413");
      assertThat(reply.body()).contains("exceeds the limit of 1048576 bytes");
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void aBodyThatIsTooLarge_isReadToItsEnd_soThatTheClientReadsTheAnswer(Version version)
      throws Exception {
    try (HttpClient client = client(version)) {
      for (int size : List.of((1 << 20) + 1, 3 << 20)) {
        assertThat(client.send(post("/", size), BodyHandlers.discarding()).statusCode())
            .isEqualTo(413);
      }
    }
  }

  @Test
  void aBodyThatIsTooLarge_isRefusedAlsoWhereNobodyAnnouncedIt() throws Exception {
    try (PlainClient client = connect()) {
      client.send("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 16; i++) {
        client.send("10000\r\n").send(new byte[1 << 16]).send("\r\n");
      }
      client.send("1\r\na\r\n");

      assertThat(client.reply().status()).isEqualTo("413");
    }
  }

  @Test
  void aSlowBody_isGivenUpInTime() throws Exception {
    startImpatient();
    try (PlainClient client = connect()) {
      client.head("POST", "/", 100).send("a");

      Reply reply = client.reply();

      assertThat(reply.status()).isEqualTo("408");
      assertThat(reply.body()).contains("was not received within 1 s");
    }
  }

  @Test
  void afterASlowBody_theClientMaySendTheRestAndAskAgain() throws Exception {
    startImpatient();
    try (PlainClient client = connect()) {
      client.head("POST", "/", 100).send("a");
      assertThat(client.reply().status()).isEqualTo("408");

      client.send(new byte[99]).head("POST", "/", 3).send("abc");

      assertThat(client.reply().body()).isEqualTo("3\n");
    }
  }

  @Test
  void aConnectionThatSendsNoWholeRequestIsClosed() throws Exception {
    startImpatient();
    try (PlainClient silent = connect();
        PlainClient slow = connect()) {
      slow.send("POST / HTTP/1.1\r\nHost: loc");

      assertThat(slow.reply()).isEqualTo(Reply.CLOSED);
      assertThat(silent.reply()).isEqualTo(Reply.CLOSED);
    }
  }

  /** A small version of 250 requests of 8 MiB each with a heap of 1 GiB. */
  @Test
  void slowLargeBodies_areRefusedBeforeTheyCostMoreThanTheirBudgetAndSmallOnesPass()
      throws Exception {
    BlockingQueue<String> statuses = new LinkedBlockingQueue<>();
    List<PlainClient> slow = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor();
        PlainClient small = connect()) {
      for (int i = 0; i < 16; i++) {
        PlainClient each = connect().head("POST", "/", 1 << 20).send(new byte[1 << 19]);
        slow.add(each);
        threads.execute(() -> statuses.add(each.replyStatus()));
      }
      // One address gets half of 2 MiB, where two halves of a body fit.
      for (int i = 0; i < 14; i++) {
        assertThat(statuses.poll(30, TimeUnit.SECONDS)).isEqualTo("503");
      }
      assertThat(small.head("POST", "/", 900).send(new byte[900]).reply().body())
          .isEqualTo("900\n");

      for (PlainClient each : slow) {
        each.close();
      }
      for (int i = 0; i < 2; i++) {
        assertThat(statuses.poll(30, TimeUnit.SECONDS)).isIn("closed", "503");
      }
      await(() -> small.head("POST", "/", 1 << 20).send(new byte[1 << 20]).reply().status(), "200");
    }
  }

  /**
   * A request that arrives together with the end of the handshake is decrypted at once, and Jetty
   * handles it on another path than one that arrives later.
   */
  @Test
  void clientsThatSendPartOfABodyWithTheHandshake_doNotOccupyTheThreadsOfOthers() throws Exception {
    List<PlainClient> slow = new ArrayList<>();
    try {
      for (int i = 0; i < 20; i++) {
        HeldSocket socket = new HeldSocket(server.port());
        slow.add(new PlainClient(tls, socket).head("POST", "/", 900).send("half"));
        socket.sendHeld();
      }
      assertThat(begun.tryAcquire(20, 30, TimeUnit.SECONDS)).as("requests that began").isTrue();

      try (PlainClient small = connect()) {
        assertThat(small.head("POST", "/", 3).send("abc").reply().body()).isEqualTo("3\n");
      }
    } finally {
      for (PlainClient each : slow) {
        each.close();
      }
    }
  }

  @Test
  void bytesThatTheServerDoesNotRead_stayWithTheClient() throws Exception {
    int unread = 32 << 20;
    ServerSettings readsSlowly = small(Duration.ofMinutes(2), 1 << 10);
    try (HttpServer plain = HttpServer.start(readsSlowly, Optional.empty(), new Sizes());
        SocketChannel client = SocketChannel.open()) {
      client.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
      client.connect(new InetSocketAddress("localhost", plain.port()));
      // The kernel enlarges the buffer of a connection while the server reads fast.
      for (int i = 0; i < 16; i++) {
        write(client, head(1 << 20));
        write(client, ByteBuffer.allocate(1 << 20));
        client.read(ByteBuffer.allocate(1 << 10));
      }
      write(client, head(unread));
      client.configureBlocking(false);

      assertThat(sentUntilBlocked(client, unread)).isLessThan(1 << 20);
    }
  }

  private static ByteBuffer head(int length) {
    return ByteBuffer.wrap(
        "POST / HTTP/1.1\r\nHost: berth\r\nContent-Length: %d\r\n\r\n"
            .formatted(length)
            .getBytes(StandardCharsets.US_ASCII));
  }

  private static void write(SocketChannel client, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      client.write(bytes);
    }
  }

  /** Sends up to {@code most} bytes, and returns how many were sent when no more were accepted. */
  private static int sentUntilBlocked(SocketChannel client, int most) throws Exception {
    try (Selector writable = Selector.open()) {
      client.register(writable, SelectionKey.OP_WRITE);
      int sent = 0;
      while (sent < most && writable.select(Duration.ofSeconds(1).toMillis()) > 0) {
        writable.selectedKeys().clear();
        sent += client.write(ByteBuffer.allocate(Math.min(most - sent, 64 << 10)));
      }
      return sent;
    }
  }

  private static void await(Callable<String> question, String answer) throws Exception {
    for (int i = 0; i < 1000; i++) {
      if (question.call().equals(answer)) {
        return;
      }
    }
    throw new AssertionError("never " + answer);
  }

  @Test
  void moreRequestsThanAllowed_areRefusedAndTheOthersFinish() throws Exception {
    try (HttpClient client = client(Version.HTTP_2)) {
      client.send(
          post("/", 1), BodyHandlers.discarding()); // opens a connection for the following requests
      List<CompletableFuture<Integer>> waiting = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        waiting.add(
            client
                .sendAsync(post("/wait", 1), BodyHandlers.discarding())
                .thenApply(HttpResponse::statusCode));
      }
      entered.await();
      assertThat(CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).get())
          .isEqualTo(503);
      released.countDown();
      Map<Integer, Long> statuses =
          waiting.stream()
              .map(CompletableFuture::join)
              .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
      assertThat(statuses).containsOnlyKeys(200, 503);
      assertThat(statuses.get(200)).as("the share of one address").isGreaterThanOrEqualTo(16);
    }
  }

  @Test
  void connectionsBeyondTheLimitWaitUntilOthers_haveGone() throws Exception {
    server.close();
    server = HttpServer.start(small(Duration.ofSeconds(10)), Optional.of(live), new Sizes());
    List<PlainClient> open = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        open.add(connect());
      }

      // Idle connections are closed early if there is no room.
      try (PlainClient late = connect()) {
        assertThat(late.head("POST", "/", 1).send("a").reply().status()).isEqualTo("200");
      }
    } finally {
      for (PlainClient each : open) {
        each.close();
      }
    }
  }

  @Test
  void aCertificate_isExchangedWithoutDroppingConnections() throws Exception {
    try (PlainClient before = connect()) {
      assertThat(before.head("POST", "/", 1).send("a").reply().status()).isEqualTo("200");

      CertificateState renewed =
          certificate.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, Instant.now());
      live.exchange(renewed);

      assertThat(before.head("POST", "/", 1).send("a").reply().status()).isEqualTo("200");
      try (PlainClient after = connect()) {
        assertThat(after.certificate()).isEqualTo(renewed.serverChain().getFirst());
        assertThat(before.certificate()).isEqualTo(certificate.serverChain().getFirst());
      }
    }
  }

  @Test
  void aReplica_isKnownByTheSharedCertificateAlsoWhileItLagsBehind() throws Exception {
    HttpRequest request = post("/", 1);
    LiveCertificate other = new LiveCertificate(certificate);
    live.exchange(
        certificate.carryOut(new RenewalPlan.RenewServer("test"), maker, RULES, Instant.now()));

    try (HttpClient replica = HttpClient.newBuilder().sslContext(other.context()).build()) {
      assertThat(replica.send(request, BodyHandlers.ofString()).body())
          .isEqualTo("1 of a replica\n");
    }
  }

  @Test
  void aCertificateOfAnybodyElse_isRefused() {
    CertificateState strange = CertificateState.begin(maker, RULES, Instant.now());
    LiveCertificate stranger = new LiveCertificate(strange);

    assertThat(live.isReplica(strange.serverChain().getFirst())).isFalse();
    try (HttpClient client = HttpClient.newBuilder().sslContext(stranger.context()).build()) {
      assertThatThrownBy(() -> client.send(post("/", 1), BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(Version.class)
  void stopping_letsRequestsUnderWayFinishAndTakesNoNewConnections(Version version)
      throws Exception {
    try (HttpClient client = client(version)) {
      var answer = client.sendAsync(post("/wait", 1), BodyHandlers.ofString());
      entered.await();
      CompletableFuture<Boolean> stopped =
          CompletableFuture.supplyAsync(() -> server.stop(Duration.ofSeconds(30)));
      awaitClosed();
      assertThat(answer).isNotDone();
      released.countDown();

      assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
      assertThat(stopped.get(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void clientsThatAreAskedToLeave_areAnsweredAndCloseTheirConnections() throws Exception {
    try (PlainClient client = connect()) {
      client.head("POST", "/", 1).send("a").reply();
      server.askClientsToLeave();

      Reply reply = client.head("POST", "/", 1).send("a").reply();

      assertThat(reply.status()).isEqualTo("200");
      assertThat(reply.headers()).contains("connection: close");
      try (PlainClient another = connect()) {
        assertThat(another.head("POST", "/", 1).send("a").reply().status()).isEqualTo("200");
      }
    }
  }

  @Test
  void aPortInUse_isNamedWithTheOptionThatChangesIt() {
    ServerSettings taken =
        new ServerSettings(
            server.port(),
            "--webhook-port",
            1,
            1,
            1,
            1,
            1,
            1,
            1,
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1));

    assertThatThrownBy(() -> HttpServer.start(taken, Optional.empty(), new Sizes()))
        .isInstanceOf(PortTakenException.class)
        .hasMessageContaining("port " + server.port() + " is in use")
        .hasMessageContaining("--webhook-port");
  }

  @Test
  void withoutACertificateTheServerSpeaksInTheClear() throws Exception {
    try (HttpServer plain = HttpServer.start(SMALL, Optional.empty(), new Sizes());
        HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest get =
          HttpRequest.newBuilder(URI.create("http://localhost:" + plain.port() + "/")).build();

      assertThat(client.send(get, BodyHandlers.ofString()).body()).isEqualTo("0\n");
    }
  }

  private void awaitClosed() {
    boolean open = true;
    while (open) {
      try (Socket socket = new Socket("localhost", server.port())) {
        open = socket.isConnected();
      } catch (IOException e) {
        open = false;
      }
    }
  }
}
