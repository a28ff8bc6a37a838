package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.SchedulingPolicy;
import io.berth.crds.SchedulingPolicyStatus;
import io.berth.operator.Berth;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A replica on a cluster: pods are bound, policies change at runtime, and a broken policy does no
 * harm.
 */
class ServingTest {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final String POLICY =
      """
      apiVersion: sched.cloud.ctrip.com/v1
      kind: SchedulingPolicy
      metadata: {name: batch}
      spec:
        priorities:
        - {name: %s, weight: %d}
      """;

  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(2);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private SchedulingPolicyStatus status() {
    SchedulingPolicy policy =
        cluster.admin().resources(SchedulingPolicy.class).withName("batch").get();
    SchedulingPolicyStatus status = policy.getStatus();
    return status == null
        ? new SchedulingPolicyStatus(null, null, null, null, null, null, null, null, null, null)
        : status;
  }

  private String readyReason() {
    return status().conditions().stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .map(Condition::getReason)
        .findFirst()
        .orElse("");
  }

  private void awaitBound(String pod) {
    await().atMost(SOON).until(() -> cluster.pod(pod).getSpec().getNodeName() != null);
  }

  private static String get(Berth berth, String path) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + berth.httpPort() + path);
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void pod_isBound_withAnEventAndAnExplanation() throws Exception {
    cluster.apply(POLICY.formatted("NodeAffinity", 2));
    try (Berth berth = cluster.replica("one")) {
      cluster.createPod("web", "batch", "1");
      awaitBound("web");

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(cluster.admin().v1().events().inNamespace("default").list().getItems())
                      .anySatisfy(
                          event -> {
                            assertThat(event.getReason()).isEqualTo("Scheduled");
                            assertThat(event.getMessage())
                                .startsWith("Successfully assigned default/web to node-a-");
                          }));
      assertThat(get(berth, "/explain/default/web"))
          .contains("placed on node-a-", "Policy    batch");
      assertThat(get(berth, "/metrics"))
          .contains(
              "scheduler_schedule_attempts_total{profile=\"berth\",result=\"scheduled\"} 1.0",
              "scheduler_pending_pods{queue=\"active\"} 0.0",
              "scheduler_pending_pods{queue=\"gated\"} 0.0",
              "scheduler_queue_incoming_pods_total{event=\"UnschedulablePodAdd\",queue=\"active\"}"
                  + " 1.0",
              "scheduler_pod_scheduling_attempts_count 1",
              "scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"1\"} 1");
      assertThat(get(berth, "/readyz")).isEqualTo("ok\n");
    }
  }

  @Test
  void podThatNamesNoPolicy_isPlacedByKubeSchedulersDefaults_whileNoneIsMarkedDefault()
      throws Exception {
    try (Berth berth = cluster.replica("one")) {
      cluster.createPod("plain", "", "1");
      awaitBound("plain");

      assertThat(get(berth, "/explain/default/plain"))
          .contains("placed on node-a-", "kube-scheduler's defaults", "100 x 3");
    }
  }

  @Test
  void podWithMoreThanBerthTakes_saysSoInItsConditionAndAnEvent_andOthersAreBound()
      throws Exception {
    cluster.apply(POLICY.formatted("NodeAffinity", 2));
    try (Berth berth = cluster.replica("one")) {
      Pod greedy = cluster.unboundPod("greedy", "batch", "1");
      for (int i = 0; i < 201; i++) {
        greedy
            .getSpec()
            .getTolerations()
            .add(new TolerationBuilder().withKey("key-" + i).withOperator("Exists").build());
      }
      cluster.admin().resource(greedy).create();
      cluster.createPod("modest", "batch", "1");
      awaitBound("modest");

      String reason = "spec.tolerations has 203 entries; the limit is 200";
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(cluster.pod("greedy").getStatus().getConditions())
                      .anySatisfy(
                          condition -> {
                            assertThat(condition.getType()).isEqualTo("PodScheduled");
                            assertThat(condition.getStatus()).isEqualTo("False");
                            assertThat(condition.getMessage()).contains(reason);
                          }));
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(cluster.admin().v1().events().inNamespace("default").list().getItems())
                      .anySatisfy(
                          event -> {
                            assertThat(event.getReason()).isEqualTo("FailedScheduling");
                            assertThat(event.getMessage()).contains(reason);
                          }));
      assertThat(get(berth, "/metrics"))
          .containsPattern("berth_refused_objects_total\\{kind=\"Pod\"} [1-9]");
    }
  }

  @Test
  void podThatFitsNowhere_saysSoAsKubeSchedulerDoes_andIsBoundWhenANodeComes() throws Exception {
    cluster.apply(POLICY.formatted("NodeAffinity", 2));
    try (Berth berth = cluster.replica("one")) {
      cluster.createPod("huge", "batch", "16");

      await()
          .atMost(SOON)
          .untilAsserted(
              () -> {
                Pod huge = cluster.pod("huge");
                assertThat(huge.getStatus().getConditions())
                    .anySatisfy(
                        condition -> {
                          assertThat(condition.getType()).isEqualTo("PodScheduled");
                          assertThat(condition.getStatus()).isEqualTo("False");
                          assertThat(condition.getReason()).isEqualTo("Unschedulable");
                          assertThat(condition.getMessage())
                              .startsWith("0/2 nodes are available: 2 Insufficient cpu.");
                        });
              });
      cluster.addNodes("big", 1, "32");

      awaitBound("huge");
      assertThat(cluster.pod("huge").getSpec().getNodeName()).isEqualTo("node-big-0");
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void podThatNamesNoKnownPolicy_waits_andSaysSo() throws Exception {
    try (Berth berth = cluster.replica("one")) {
      cluster.createPod("web", "batch", "1");
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(cluster.pod("web").getStatus().getConditions())
                      .anySatisfy(
                          condition ->
                              assertThat(condition.getMessage())
                                  .contains("SchedulingPolicy \"batch\" does not exist")));

      cluster.apply(POLICY.formatted("NodeAffinity", 2));

      awaitBound("web");
      assertThat(berth.isLeading()).isTrue();
    }
  }

  @Test
  void changedPolicy_servesAndSaysSo_andABrokenOneLeavesTheLastGood_alsoAcrossARestart()
      throws Exception {
    cluster.apply(POLICY.formatted("NodeAffinity", 2));
    try (Berth berth = cluster.replica("one")) {
      await().atMost(SOON).until(() -> "Serving".equals(readyReason()));
      cluster.apply(POLICY.formatted("NodeAffinity", 3));
      await().atMost(SOON).until(() -> "2".equals(status().servingRevision()));

      cluster.apply(POLICY.formatted("NoSuchAlgorithm", 3));

      await().atMost(SOON).until(() -> "LastGoodServes".equals(readyReason()));
      assertThat(status().servingRevision()).isEqualTo("2");
      assertThat(status().latestRevision()).isEqualTo("3");
      assertThat(berth.isLeading()).isTrue();
    }
    try (Berth berth = cluster.replica("two")) {
      cluster.createPod("web", "batch", "1");
      awaitBound("web");

      assertThat(get(berth, "/explain/default/web")).contains("Policy    batch, revision 2");
      await().atMost(SOON).until(() -> "LastGoodServes".equals(readyReason()));
    }
  }
}
