package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.fixtures.ExpectedLog;
import io.berth.operator.leader.LeaseTimes;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A replica that loses permissions reports it, does not act on stale state, and recovers with them.
 */
class BlindReplicaTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final LeaseTimes FAST_LEASE =
      new LeaseTimes(Duration.ofSeconds(10), Duration.ofSeconds(7), Duration.ofMillis(200));
  private static final WatchTimes FAST =
      new WatchTimes(
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          Duration.ofSeconds(30),
          Duration.ofMillis(100),
          Duration.ofMillis(400),
          Duration.ofMillis(500),
          Duration.ofSeconds(2));

  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec:
        priorities:
        - {name: %s, weight: 2}
      """;

  private BerthOnSandbox cluster;
  private BerthAccount account;

  /** A timer of the reconcilers' library may find its executor closed when a replica ends. */
  private static ConditionFactory soon() {
    return await().dontCatchUncaughtExceptions().atMost(SOON);
  }

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(1);
    account = new BerthAccount(cluster.admin());
  }

  @AfterEach
  void stop() {
    account.close();
    cluster.close();
  }

  private Berth replica(String identity) throws IOException, InterruptedException {
    BerthOptions options =
        BerthOptions.local(identity)
            .withHttp(0, true)
            .withLeaderElection(FAST_LEASE)
            .withWatchTimes(FAST);
    return Berth.start(options, account.client());
  }

  private static String get(Berth berth, String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + berth.httpPort() + path);
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  private boolean isBound(String pod) {
    return cluster.pod(pod).getSpec().getNodeName() != null;
  }

  private boolean isARevisionKept() {
    return !cluster
        .admin()
        .apps()
        .controllerRevisions()
        .inNamespace("berth-system")
        .list()
        .getItems()
        .isEmpty();
  }

  @Test
  void leaderThatMayNotWatchNodesAnyMore_saysSo_givesTheTermUp_andLeadsAgainWhenItMay()
      throws Exception {
    try (Berth berth = replica("one")) {
      soon().until(berth::isLeading);

      Runnable giveBack = account.withhold("nodes");

      soon()
          .untilAsserted(
              () ->
                  assertThat(get(berth, "/readyz"))
                      .contains("watches", "cannot watch nodes: nodes is forbidden"));
      assertThat(get(berth, "/readyz?exclude=watches")).isEqualTo("ok\n");
      soon().until(() -> !berth.isLeading());
      assertThat(get(berth, "/metrics"))
          .contains("berth_watch_failures_total{reason=\"403\",resource=\"nodes\",verb=\"watch\"}")
          .containsPattern("berth_watch_unseen_seconds\\{resource=\"nodes\"} [1-9]");

      giveBack.run();

      soon().until(berth::isLeading);
      cluster.createPod("web", "", "1");
      soon().until(() -> isBound("web"));
      assertThat(get(berth, "/readyz")).isEqualTo("ok\n");
    }
  }

  @Test
  @ExpectedLog("AbstractWatchManager ERROR Error received: .*code=403")
  void rightToWatchAKindOfTheReconcilers_thatIsTakenAway_isNamedWithItsVerb() throws Exception {
    try (Berth berth = replica("one")) {
      soon().until(berth::isLeading);

      Runnable giveBack = account.withhold("podschedulerconfigs");

      soon()
          .untilAsserted(
              () ->
                  assertThat(get(berth, "/readyz"))
                      .contains("cannot watch podschedulerconfigs.sched.cloud.ctrip.com: "));
      assertThat(get(berth, "/metrics"))
          .contains(
              "berth_watch_failures_total{reason=\"403\","
                  + "resource=\"podschedulerconfigs.sched.cloud.ctrip.com\",verb=\"watch\"}");
      assertThat(berth.isLeading()).isTrue();

      giveBack.run();

      soon().until(() -> get(berth, "/readyz").equals("ok\n"));
    }
  }

  @Test
  void lastGoodRevisions_thatCouldNotBeReadAtFirst_serveAsSoonAsTheyCan() throws Exception {
    cluster.apply(POLICY.formatted("NodeAffinity"));
    try (Berth before = replica("before")) {
      soon().until(this::isARevisionKept);
      assertThat(before.isLeading()).isTrue();
    }
    cluster.apply(POLICY.formatted("NoSuchAlgorithm"));
    Runnable giveBack = account.withhold("controllerrevisions");

    try (Berth berth = replica("after")) {
      cluster.createPod("web", "batch", "1");
      soon().until(() -> cluster.isRejected("web"));

      giveBack.run();

      soon().until(() -> isBound("web"));
      assertThat(berth.isLeading()).isTrue();
    }
  }
}
