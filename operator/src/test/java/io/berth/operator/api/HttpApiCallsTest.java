package io.berth.operator.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.operator.api.FrontEnd.Asked;
import io.berth.operator.api.FrontEnd.Reply;
import io.berth.operator.api.FrontEnd.Speaks;
import io.berth.operator.feed.FaultyConnection;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests to an API server, with proxies and failures on the way. */
class HttpApiCallsTest {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Reply OK = Reply.of(200, "{}");

  @TempDir private Path folder;

  private ConfigBuilder config(FrontEnd server, int port) throws Exception {
    Path authority = folder.resolve("ca.crt");
    server.writeAuthority(authority);
    return new ConfigBuilder(Config.empty())
        .withMasterUrl(server.url(port))
        .withCaCertFile(authority.toString())
        .withOauthToken("secret");
  }

  private HttpApiCalls calls(FrontEnd server, Duration limit) throws Exception {
    return new HttpApiCalls(ClusterAccess.of(config(server, server.port()).build()), limit);
  }

  private static CompletableFuture<Answer> post(ApiCalls api, String path) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    api.post(path, JSON.valueToTree(Map.of("a", 1)), answer::complete);
    return answer;
  }

  private static Answer answer(CompletableFuture<Answer> coming) throws Exception {
    return coming.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private static void assertAnswered(CompletableFuture<Answer> coming) throws Exception {
    Answer answer = answer(coming);
    assertThat(answer.code()).as(answer.message()).isEqualTo(200);
  }

  private static List<CompletableFuture<Answer>> atOnce(HttpApiCalls api, int number) {
    return IntStream.range(0, number).mapToObj(i -> post(api, "/api/v1/x/" + i)).toList();
  }

  @ParameterizedTest
  @EnumSource
  void requestsThatHang_doNotDelayOthers(Speaks protocol) throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (FrontEnd server = new FrontEnd(protocol, hangingUntil(ended));
        HttpApiCalls api = calls(server, LIMIT)) {
      assertAnswered(post(api, "/api/v1/first"));
      List<CompletableFuture<Answer>> hanging =
          IntStream.range(0, 12).mapToObj(i -> post(api, "/hanging/" + i)).toList();

      assertAnswered(post(api, "/api/v1/x"));

      assertThat(hanging).noneMatch(CompletableFuture::isDone);
      ended.countDown();
      for (CompletableFuture<Answer> answer : hanging) {
        assertAnswered(answer);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void firstRequestThatHangs_delaysNoOther(Speaks protocol) throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    try (FrontEnd server = new FrontEnd(protocol, hangingUntil(ended));
        HttpApiCalls api = calls(server, LIMIT)) {
      CompletableFuture<Answer> hanging = post(api, "/hanging");
      List<CompletableFuture<Answer>> atOnce = atOnce(api, 40);
      for (CompletableFuture<Answer> coming : atOnce) {
        assertAnswered(coming);
      }
      assertAnswered(post(api, "/api/v1/later"));

      assertThat(hanging).isNotDone();
      ended.countDown();
      assertAnswered(hanging);
    }
  }

  /** Returns a script that does not answer requests for /hanging before their end. */
  private static Function<Asked, Reply> hangingUntil(CountDownLatch ended) {
    return asked -> {
      if (asked.path().startsWith("/hanging")) {
        awaitQuietly(ended);
      }
      return OK;
    };
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @EnumSource
  void request_carriesPathTokenAndBody_overWhateverTheServerSpeaks(Speaks protocol)
      throws Exception {
    try (FrontEnd server = new FrontEnd(protocol, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT)) {

      assertAnswered(post(api, "/api/v1/x"));

      Asked asked = server.asked().getFirst();
      assertThat(asked.path()).isEqualTo("/api/v1/x");
      assertThat(asked.authorization()).containsExactly("Bearer secret");
      assertThat(asked.body()).isEqualTo("{\"a\":1}");
      assertThat(asked.protocol())
          .isEqualTo(
              protocol == Speaks.BOTH || protocol == Speaks.HTTP_2_ALONE ? "HTTP/2.0" : "HTTP/1.1");
    }
  }

  @Test
  void requestsAtOnce_shareOneConnection_whereTheServerSpeaksHttp2() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT)) {

      for (CompletableFuture<Answer> coming : atOnce(api, 40)) {
        assertAnswered(coming);
      }

      assertThat(server.connections()).isOne();
    }
  }

  @Test
  void bindingSentByTheReceiverOfAnother_isWrittenBeforeTheLoopReadsOn() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT)) {
      CompletableFuture<List<String>> order = new CompletableFuture<>();
      List<String> seen = new ArrayList<>();
      api.bind(
          "/api/v1/x",
          new byte[] {1},
          answer -> {
            RequestLoop.vertx()
                .runOnContext(
                    ignored -> {
                      seen.add("the loop reads on");
                      order.complete(seen);
                    });
            RequestLoop.run(() -> seen.add("the next is written"));
          });

      assertThat(order.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .containsExactly("the next is written", "the loop reads on");
    }
  }

  @Test
  void throttledAnswer_saysHowLongToWait_andInWhatWords() throws Exception {
    Reply throttled = new Reply(429, "{\"message\":\"too many requests\"}", List.of("7"));
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> throttled);
        HttpApiCalls api = calls(server, LIMIT)) {

      Answer answer = answer(post(api, "/api/v1/x"));

      assertThat(answer.throttled()).isTrue();
      assertThat(answer.retryAfter()).isEqualTo(Duration.ofSeconds(7));
      assertThat(answer.message()).isEqualTo("too many requests");
    }
  }

  @Test
  void requestWhoseConditionFailedWhileItWaited_isNotSent() throws Exception {
    AtomicBoolean leads = new AtomicBoolean(true);
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT)) {
      ApiCalls fenced = api.onlyWhile(leads::get);
      assertThat(answer(post(fenced, "/api/v1/first")).code()).isEqualTo(200);

      leads.set(false);

      assertThat(answer(post(fenced, "/api/v1/second")).wasNotSent()).isTrue();
      assertAnswered(post(api, "/api/v1/third"));
      assertThat(server.asked().stream().map(Asked::path))
          .containsExactly("/api/v1/first", "/api/v1/third");
    }
  }

  /**
   * The requests that follow from one answer leave together. A process that is suspended between
   * the first of them and that moment wakes up in another time.
   */
  @Test
  void requestsThatWaitToLeaveTogether_areNotSent_ifTheTermEndsMeanwhile() throws Exception {
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    List<CompletableFuture<Answer>> following = new CopyOnWriteArrayList<>();
    CountDownLatch followed = new CountDownLatch(1);
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT)) {
      ApiCalls fenced = api.onlyWhile(() -> left.getAndDecrement() > 0);
      fenced.bind(
          "/api/v1/first",
          new byte[] {1},
          first -> {
            left.set(3); // enough for the checks of three requests
            for (int i = 0; i < 3; i++) {
              CompletableFuture<Answer> answer = new CompletableFuture<>();
              following.add(answer);
              fenced.bind("/api/v1/late-" + i, new byte[] {1}, answer::complete);
            }
            followed.countDown();
          });

      assertThat(followed.await(10, TimeUnit.SECONDS)).isTrue();
      for (CompletableFuture<Answer> late : following) {
        assertThat(answer(late).ok()).isFalse();
      }
      assertAnswered(post(api, "/api/v1/after"));
      assertThat(server.asked().stream().map(Asked::path))
          .noneMatch(path -> path.startsWith("/api/v1/late-"));
    }
  }

  @Test
  void whereNobodyListens_thereIsNoAnswer() throws Exception {
    FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
    try (HttpApiCalls api = calls(server, LIMIT)) {
      server.close();

      Answer answer = answer(post(api, "/api/v1/x"));

      assertThat(answer.ambiguous()).isTrue();
      assertThat(answer.message()).startsWith("no answer: ");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1", "BOTH"})
  void answerThatDoesNotCome_isLostAfterTheLimit(Speaks protocol) throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (FrontEnd server = new FrontEnd(protocol, asked -> afterThat(over));
        HttpApiCalls api = calls(server, Duration.ofMillis(700))) {

      Answer answer = answer(post(api, "/api/v1/x"));

      assertThat(answer.ambiguous()).isTrue();
      over.countDown();
    }
  }

  private static Reply afterThat(CountDownLatch over) {
    try {
      assertThat(over.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return OK;
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1", "BOTH"})
  void connectionsThatDied_costOneTimeLimit_notOneEach(Speaks protocol) throws Exception {
    try (FrontEnd server = new FrontEnd(protocol, asked -> OK);
        FaultyConnection between = FaultyConnection.to(server.port());
        HttpApiCalls api =
            new HttpApiCalls(
                ClusterAccess.of(config(server, between.port()).build()), Duration.ofSeconds(5))) {
      // The first answer shows the protocol; the connections that are used from then on are opened
      // for the second round.
      for (int round = 0; round < 2; round++) {
        for (CompletableFuture<Answer> coming : atOnce(api, 6)) {
          assertAnswered(coming);
        }
      }

      between.silenceOpenConnections();

      assertThat(answer(post(api, "/api/v1/lost")).ambiguous()).isTrue();
      List<String> lostToo = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        Answer next = answer(post(api, "/api/v1/x"));
        if (next.ambiguous()) {
          lostToo.add(next.message());
        }
      }
      // A connection whose handshake had just completed counts as alive, and may cost one more
      // request.
      assertThat(lostToo).hasSizeLessThanOrEqualTo(1);
      assertAnswered(post(api, "/api/v1/x"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1", "BOTH"})
  void handshakesThatStall_costOneTimeLimit_andOthersAreBegun(Speaks protocol) throws Exception {
    try (FrontEnd server = new FrontEnd(protocol, asked -> OK);
        FaultyConnection between = FaultyConnection.to(server.port());
        HttpApiCalls api =
            new HttpApiCalls(
                ClusterAccess.of(config(server, between.port()).build()), Duration.ofSeconds(8))) {
      between.goSilent();

      for (CompletableFuture<Answer> coming : atOnce(api, 6)) {
        assertThat(answer(coming).ambiguous()).isTrue();
      }
      between.heal();

      assertAnswered(post(api, "/api/v1/x"));
    }
  }

  @Test
  void slowRequest_thatRunsOutOfTime_leavesOthersOnItsConnectionAlone() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (FrontEnd server =
            new FrontEnd(
                Speaks.BOTH, asked -> asked.path().endsWith("/slow") ? afterThat(over) : OK);
        HttpApiCalls api = calls(server, Duration.ofSeconds(2))) {
      CompletableFuture<Answer> slow = post(api, "/api/v1/slow");
      await().atMost(LIMIT).until(() -> !server.asked().isEmpty());

      while (!slow.isDone()) {
        assertAnswered(post(api, "/api/v1/quick"));
      }

      assertThat(answer(slow).ambiguous()).isTrue();
      assertAnswered(post(api, "/api/v1/quick"));
      assertThat(server.connections()).isOne();
      over.countDown();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1", "BOTH"})
  void changedAuthority_isTrustedWithoutARestart(Speaks protocol) throws Exception {
    try (FrontEnd server = new FrontEnd(protocol, asked -> OK);
        HttpApiCalls api = calls(server, LIMIT);
        KubernetesClient client =
            ClusterAccess.of(config(server, server.port()).build()).clientWithoutRetries()) {
      assertAnswered(post(api, "/api/v1/x"));
      assertThat(client.raw("/api")).isEqualTo("{}");

      server.changeAuthority();
      assertThat(answer(post(api, "/api/v1/x")).ambiguous()).isTrue();
      server.writeAuthority(folder.resolve("ca.crt"));

      await().atMost(LIMIT).untilAsserted(() -> assertAnswered(post(api, "/api/v1/x")));
      await()
          .atMost(LIMIT)
          .ignoreExceptions()
          .untilAsserted(() -> assertThat(client.raw("/api")).isEqualTo("{}"));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1", "BOTH", "HTTP_2_ALONE"})
  void changedClientCertificate_isShownWithoutARestart(Speaks protocol) throws Exception {
    try (FrontEnd server = new FrontEnd(protocol, asked -> OK)) {
      writeClientCertificate(server);
      Config config =
          config(server, server.port())
              .withClientCertFile(folder.resolve("tls.crt").toString())
              .withClientKeyFile(folder.resolve("tls.key").toString())
              .withClientKeyAlgo("EC")
              .build();
      try (HttpApiCalls api = new HttpApiCalls(ClusterAccess.of(config), LIMIT)) {
        assertAnswered(post(api, "/api/v1/x"));
        assertThat(server.shownCertificate()).contains(server.certificate());

        server.renewCertificate();
        writeClientCertificate(server);

        await()
            .atMost(LIMIT)
            .untilAsserted(
                () -> {
                  assertAnswered(post(api, "/api/v1/x"));
                  assertThat(server.shownCertificate()).contains(server.certificate());
                });
      }
    }
  }

  private void writeClientCertificate(FrontEnd server) throws Exception {
    for (String name : List.of("tls.crt", "tls.key")) {
      Files.writeString(folder.resolve(name), server.files().get(name));
    }
  }

  @Test
  void proxy_isGoneThrough_unlessTheServerIsExcepted() throws Exception {
    try (FrontEnd server = new FrontEnd(Speaks.BOTH, asked -> OK);
        ConnectProxy proxy = new ConnectProxy()) {
      ConfigBuilder proxied =
          config(server, server.port())
              .withHttpsProxy("http://user:word@127.0.0.1:" + proxy.port());

      try (HttpApiCalls api = new HttpApiCalls(ClusterAccess.of(proxied.build()), LIMIT)) {
        assertAnswered(post(api, "/api/v1/x"));
      }
      assertThat(proxy.asked()).hasSize(1);
      assertThat(proxy.asked().getFirst())
          .startsWith("CONNECT 127.0.0.1:" + server.port() + " HTTP/1.1")
          .containsIgnoringCase("Proxy-Authorization: Basic dXNlcjp3b3Jk")
          .doesNotContain("secret");

      Config excepted = proxied.withNoProxy("10.0.0.0/8", "127.0.0.1").build();
      try (HttpApiCalls api = new HttpApiCalls(ClusterAccess.of(excepted), LIMIT)) {
        assertAnswered(post(api, "/api/v1/x"));
      }
      assertThat(proxy.asked()).hasSize(1);
    }
  }
}
