package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.leader.LeaseTimes;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Access to a replica's endpoints, and its requests to the leader. */
class ReplicasTest {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final LeaseTimes FAST =
      new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofMillis(200));

  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(2);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static HttpResponse<String> get(Berth berth, String path, String token)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + berth.httpsPort() + path));
    if (!token.isEmpty()) {
      request.header("Authorization", "Bearer " + token);
    }
    try (HttpClient http = HttpClient.newBuilder().sslContext(TrustingAnyone.context()).build()) {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static HttpResponse<String> getPlain(Berth berth, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + berth.httpPort() + path)).build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  /** Creates an account, and returns a token of it for Berth. */
  private String tokenOf(String account) {
    cluster
        .admin()
        .serviceAccounts()
        .inNamespace("default")
        .resource(
            new ServiceAccountBuilder().withNewMetadata().withName(account).endMetadata().build())
        .create();
    return token(account, "berth");
  }

  private String token(String account, String... audiences) {
    return cluster
        .admin()
        .serviceAccounts()
        .inNamespace("default")
        .withName(account)
        .tokenRequest(
            new TokenRequestBuilder().withNewSpec().withAudiences(audiences).endSpec().build())
        .getStatus()
        .getToken();
  }

  private void mayRead(String account, String path) {
    cluster
        .admin()
        .resource(
            new ClusterRoleBuilder()
                .withNewMetadata()
                .withName("reader")
                .endMetadata()
                .addNewRule()
                .withNonResourceURLs(path)
                .withVerbs("get")
                .endRule()
                .build())
        .create();
    cluster
        .admin()
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName("reader")
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "reader")
                .addNewSubject()
                .withKind("ServiceAccount")
                .withNamespace("default")
                .withName(account)
                .endSubject()
                .build())
        .create();
  }

  @Test
  void metrics_areForThoseWhoMayReadThem_andHealthIsForAll() throws Exception {
    String stranger = tokenOf("stranger");
    String reader = tokenOf("reader");
    mayRead("reader", "/metrics");
    try (Berth berth = Berth.start(BerthOptions.local("one").withHttp(0, false), cluster.admin())) {

      HttpResponse<String> nobody = get(berth, "/metrics", "");
      assertThat(nobody.statusCode()).isEqualTo(401);
      assertThat(nobody.headers().firstValue("WWW-Authenticate")).contains("Bearer");
      assertThat(nobody.body())
          .contains("send a bearer token of an account that may get /metrics")
          .contains("kubectl create token ACCOUNT --audience berth");

      HttpResponse<String> unknown = get(berth, "/metrics", "no-such-token");
      assertThat(unknown.statusCode()).isEqualTo(401);
      assertThat(unknown.body())
          .isEqualTo(
              "the API server does not accept this token for audience berth: use one of kubectl"
                  + " create token ACCOUNT --audience berth\n");

      HttpResponse<String> refused = get(berth, "/metrics", stranger);
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body())
          .isEqualTo(
              "system:serviceaccount:default:stranger may not get /metrics: give it a ClusterRole"
                  + " with that nonResourceURL and verb\n");
      assertThat(get(berth, "/explain/default/web", reader).statusCode()).isEqualTo(403);

      assertThat(get(berth, "/metrics", reader).body()).contains("berth_leading 1.0");
      assertThat(getPlain(berth, "/livez").body()).isEqualTo("ok\n");
      assertThat(getPlain(berth, "/metrics").statusCode()).as("tokens go over TLS").isEqualTo(403);
    }
  }

  @Test
  void tokenForTheApiServer_isNotAcceptedByBerth_andOneForBerthNotByTheApiServer()
      throws Exception {
    String forBerth = tokenOf("reader");
    String forTheApiServer = token("reader");
    mayRead("reader", "/metrics");
    try (Berth berth = Berth.start(BerthOptions.local("one").withHttp(0, false), cluster.admin())) {
      assertThat(get(berth, "/metrics", forBerth).statusCode()).isEqualTo(200);
      assertThat(get(berth, "/metrics", forTheApiServer).statusCode()).isEqualTo(401);
    }

    try (KubernetesClient asReader =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(cluster.admin().getConfiguration())
                    .withOauthToken(forBerth)
                    .build())
            .build()) {
      assertThatThrownBy(() -> asReader.pods().inNamespace("default").list())
          .hasMessageContaining("Unauthorized");
    }
  }

  @Test
  void replicaWithoutTheWebhook_needsNoneOfItsRights() throws Exception {
    try (BerthAccount account = new BerthAccount(cluster.admin())) {
      var _ = account.withhold("mutatingwebhookconfigurations");
      var _ = account.withhold("validatingwebhookconfigurations");

      try (Berth berth =
          Berth.start(BerthOptions.local("one").withHttp(0, false), account.client())) {
        await().atMost(SOON).until(berth::isLeading);
        assertThat(get(berth, "/metrics", "").statusCode()).isEqualTo(401);
      }
    }
  }

  @Test
  void replicaThatDoesNotLead_asksTheLeaderAsItself_andPassesNoTokenOn() throws Exception {
    String reader = tokenOf("reader");
    mayRead("reader", "/explain/*");
    BerthOptions options = BerthOptions.local("one").withHttp(0, false).withLeaderElection(FAST);
    try (Berth leader = Berth.start(options, cluster.admin())) {
      await().atMost(SOON).until(leader::isLeading);
      cluster.createPod("web", "", "1");
      await().atMost(SOON).until(() -> cluster.pod("web").getSpec().getNodeName() != null);
      BerthOptions second = BerthOptions.local("two").withHttp(0, false).withLeaderElection(FAST);
      try (Berth follower = Berth.start(second, cluster.admin())) {

        await()
            .atMost(SOON)
            .untilAsserted(
                () ->
                    assertThat(get(follower, "/explain/default/web", reader).body())
                        .contains("placed on node-a-"));
        assertThat(follower.isLeading()).isFalse();
        assertThat(get(follower, "/explain/default/nobody", reader).statusCode()).isEqualTo(404);
        assertThat(get(follower, "/explain/default/web", "").statusCode()).isEqualTo(401);
        assertThat(get(leader, "/explain/default/web", "").statusCode()).isEqualTo(401);
      }
    }
  }

  private int podsOf(String policy) {
    return Optional.ofNullable(
            cluster.admin().resources(SchedulingPolicy.class).withName(policy).get().getStatus())
        .map(SchedulingPolicyStatus::pods)
        .orElse(0);
  }

  @Test
  void replica_isReadyOnlyOnceItsWebhookAcceptsReviews() throws Exception {
    cluster.installWebhooks();
    BerthOptions options =
        BerthOptions.local("one")
            .withHttp(0, true)
            .withWebhook(new BerthOptions.Webhook(0, Optional.of(URI.create("https://127.0.0.1"))));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Berth berth = Berth.of(options, cluster.admin().getConfiguration(), why -> {})) {
      assertThat(berth.problems()).containsOnlyKeys("cluster", "webhook");

      Future<Boolean> started =
          threads.submit(
              () -> {
                berth.start();
                return true;
              });
      await()
          .atMost(SOON)
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> berth.problems().isEmpty());

      assertThat(berth.webhookPort()).isPresent();
      assertThat(started.get()).isTrue();
    }
  }

  @Test
  void statusCountsPods_withinSeconds() throws Exception {
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: batch}
        spec: {}
        """);
    try (Berth berth = cluster.replica("one")) {
      for (int i = 0; i < 5; i++) {
        cluster.createPod("web-" + i, "batch", "100m");
      }

      await().atMost(SOON).until(() -> podsOf("batch") == 5);
      assertThat(berth.isLeading()).isTrue();
    }
  }
}
