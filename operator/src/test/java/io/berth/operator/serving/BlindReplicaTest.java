package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.feed.WatchTimes;
import io.berth.operator.leader.LeaseTimes;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A replica whose right to watch nodes is taken away says so, and does not go on leading. */
class BlindReplicaTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String ACCOUNT = "system:serviceaccount:berth-system:berth";
  private static final LeaseTimes FAST_LEASE =
      new LeaseTimes(Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(200));
  private static final WatchTimes FAST =
      new WatchTimes(
          Duration.ofSeconds(2),
          Duration.ofSeconds(1),
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          Duration.ofMillis(400),
          Duration.ofMillis(500),
          Duration.ofSeconds(2));

  private BerthOnSandbox cluster;
  private KubernetesClient asBerth;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(1);
    try (InputStream yaml =
        Files.newInputStream(Path.of("..", "deploy", "manifests", "30-rbac.yaml"))) {
      cluster.admin().load(yaml).serverSideApply();
    }
    Config config =
        new ConfigBuilder(cluster.admin().getConfiguration())
            .withImpersonateUsername(ACCOUNT)
            .build();
    asBerth = new KubernetesClientBuilder().withConfig(config).build();
  }

  @AfterEach
  void stop() {
    asBerth.close();
    cluster.close();
  }

  private static String get(Berth berth, String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + berth.httpPort() + path);
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  /** Takes the right to list and watch nodes out of Berth's role; returns the role as it was. */
  private ClusterRole takeNodes() {
    ClusterRole role = cluster.admin().rbac().clusterRoles().withName("berth").get();
    cluster
        .admin()
        .rbac()
        .clusterRoles()
        .withName("berth")
        .edit(
            held -> {
              held.getRules()
                  .forEach(
                      rule -> {
                        if (rule.getResources() != null) {
                          rule.getResources().remove("nodes");
                        }
                      });
              held.getRules().removeIf(rule -> rule.getResources().isEmpty());
              return held;
            });
    return role;
  }

  @Test
  void leaderThatMayNotWatchNodesAnyMore_saysSo_givesTheTermUp_andLeadsAgainWhenItMay()
      throws Exception {
    BerthOptions options =
        BerthOptions.local("one")
            .withHttp(0, true)
            .withLeaderElection(FAST_LEASE)
            .withWatchTimes(FAST);
    try (Berth berth = Berth.start(options, asBerth)) {
      await().atMost(SOON).until(berth::isLeading);

      ClusterRole before = takeNodes();

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(get(berth, "/readyz"))
                      .contains("watches", "cannot watch nodes: nodes is forbidden"));
      assertThat(get(berth, "/readyz?exclude=watches")).isEqualTo("ok\n");
      await().atMost(SOON).until(() -> !berth.isLeading());
      assertThat(get(berth, "/metrics"))
          .contains("berth_watch_failures_total{reason=\"403\",resource=\"nodes\",verb=\"watch\"}")
          .containsPattern("berth_watch_unseen_seconds\\{resource=\"nodes\"} [1-9]");
      assertThat(cluster.admin().leases().inNamespace("berth-system").withName("berth").get())
          .extracting(lease -> lease.getSpec().getHolderIdentity())
          .isIn("", null);

      cluster
          .admin()
          .rbac()
          .clusterRoles()
          .withName("berth")
          .edit(
              held -> {
                held.setRules(before.getRules());
                return held;
              });
      await().atMost(SOON).until(berth::isLeading);
      cluster.createPod("web", "", "1");
      await().atMost(SOON).until(() -> cluster.pod("web").getSpec().getNodeName() != null);
      assertThat(get(berth, "/readyz")).isEqualTo("ok\n");
    }
  }
}
