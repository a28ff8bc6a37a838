package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Readiness and termination of pods on their nodes, and the effect of RuntimeClasses. */
class PodEndTest {
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
  private final SimulatedCluster cluster =
      SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
  private final TestClient client = new TestClient(sandbox);

  @BeforeEach
  void start() {
    cluster.addPool("A", 1, Map.of("cpu", "4", "memory", "8Gi", "pods", "10"));
  }

  @AfterEach
  void stop() {
    cluster.close();
    sandbox.close();
  }

  @Test
  void containerWithADelayedReadinessProbe_runsBeforeItIsReady() {
    runPod("late", "{}", "readinessProbe: {initialDelaySeconds: 2, tcpSocket: {port: 80}},");

    assertThat(
            client.get(PODS + "/late").body().at("/status/containerStatuses/0/ready").asBoolean())
        .isFalse();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.get(PODS + "/late").body().at("/status/conditions"))
                    .anySatisfy(
                        condition -> {
                          assertThat(condition.path("type").asText()).isEqualTo("Ready");
                          assertThat(condition.path("status").asText()).isEqualTo("True");
                        }));
  }

  @Test
  void conditionThatARunningPodIsNotScheduled_isCorrected() {
    runPod("bound", "{}", "");

    client.patch(
        PODS + "/bound/status",
        "application/strategic-merge-patch+json",
        "{\"status\": {\"conditions\": [{\"type\": \"PodScheduled\", \"status\": \"False\","
            + " \"reason\": \"Unschedulable\", \"message\": \"no room\"}]}}");

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.get(PODS + "/bound").body().at("/status/conditions"))
                    .anySatisfy(
                        condition -> {
                          assertThat(condition.path("type").asText()).isEqualTo("PodScheduled");
                          assertThat(condition.path("status").asText()).isEqualTo("True");
                          assertThat(condition.has("message")).isFalse();
                        }));
  }

  @Test
  void preStopSleep_keepsADeletedPodUntilItsGracePeriodIsCutShort() {
    runPod("sleeper", "{}", "lifecycle: {preStop: {sleep: {seconds: 600}}},");

    client.delete(PODS + "/sleeper?gracePeriodSeconds=900");
    JsonNode terminating = client.get(PODS + "/sleeper").body();
    assertThat(terminating.at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(900);
    assertThat(terminating.at("/status/phase").asText()).isEqualTo("Running");

    client.delete(PODS + "/sleeper?gracePeriodSeconds=1");

    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(client.get(PODS + "/sleeper").code()).isEqualTo(404));
  }

  @Test
  void deletedPod_thatAFinalizerHolds_hasEndedAndFreesItsNode() {
    runPod("held", "{finalizers: [example.com/hold]}", "");

    client.delete(PODS + "/held?gracePeriodSeconds=5");

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.get(PODS + "/held").body().at("/status/phase").asText())
                    .isEqualTo("Succeeded"));
  }

  @Test
  void containersThatIgnoreSigterm_areKilledWhenTheGracePeriodEnds() {
    runPod(
        "stubborn",
        "{finalizers: [example.com/hold], annotations: {sandbox.berth.io/stops-after: 600s}}",
        "");

    client.delete(PODS + "/stubborn?gracePeriodSeconds=1");

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              JsonNode status = client.get(PODS + "/stubborn").body().path("status");
              assertThat(status.path("phase").asText()).isEqualTo("Failed");
              assertThat(status.at("/containerStatuses/0/state/terminated/exitCode").asInt())
                  .isEqualTo(137);
            });
  }

  @Test
  void runtimeClass_givesOverheadSelectorAndTolerations() {
    runtimeClass("kata");

    JsonNode spec = create("sandboxed", "{}", "", "runtimeClassName: kata,").body().path("spec");

    assertThat(spec.path("overhead")).isEqualTo(Yaml.tree("{cpu: 250m}"));
    assertThat(spec.path("nodeSelector")).isEqualTo(Yaml.tree("{runtime: kata}"));
    assertThat(spec.path("tolerations"))
        .contains(Yaml.tree("{key: kata, operator: Exists, effect: NoSchedule}"));
  }

  @Test
  void pod_thatContradictsItsRuntimeClass_isRefused() {
    runtimeClass("kata");

    assertThat(message(create("a", "{}", "", "runtimeClassName: kata, overhead: {cpu: 1},")))
        .isEqualTo(
            "pods \"a\" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's"
                + " defined Overhead");
    assertThat(
            message(create("b", "{}", "", "runtimeClassName: kata, nodeSelector: {runtime: x},")))
        .isEqualTo(
            "pods \"b\" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[runtime] ="
                + " kata; pod.spec.nodeSelector[runtime] = x");
    assertThat(message(create("c", "{}", "", "runtimeClassName: none,")))
        .isEqualTo("pods \"c\" is forbidden: pod rejected: RuntimeClass \"none\" not found");
    assertThat(message(create("d", "{}", "", "overhead: {cpu: 1},")))
        .isEqualTo(
            "pods \"d\" is forbidden: pod rejected: Pod Overhead set without corresponding"
                + " RuntimeClass defined Overhead");
  }

  @Test
  void priorityClass_neverChangesItsValue() {
    String path = "/apis/scheduling.k8s.io/v1/priorityclasses";
    client.post(path, Yaml.json("{metadata: {name: p}, value: 5}"));

    TestClient.Reply reply = client.put(path + "/p", Yaml.tree("{metadata: {name: p}, value: 6}"));

    assertThat(reply.code()).isEqualTo(422);
    assertThat(reply.body().path("message").asText())
        .isEqualTo(
            "PriorityClass.scheduling.k8s.io \"p\" is invalid: value: Forbidden: may not be changed"
                + " in an update.");
  }

  private void runtimeClass(String name) {
    TestClient.Reply reply =
        client.post(
            "/apis/node.k8s.io/v1/runtimeclasses",
            Yaml.json(
                """
                {metadata: {name: %s}, handler: kata, overhead: {podFixed: {cpu: 250m}},
                 scheduling: {nodeSelector: {runtime: kata},
                   tolerations: [{key: kata, operator: Exists, effect: NoSchedule}]}}\
                """
                    .formatted(name)));
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(201);
  }

  private TestClient.Reply create(String name, String metadata, String container, String spec) {
    var tree = Yaml.tree(metadata);
    ((ObjectNode) tree).put("name", name);
    return client.post(
        PODS,
        Yaml.json(
            "{metadata: %s, spec: {%s containers: [{name: c, %s image: i}]}}"
                .formatted(tree, spec, container)));
  }

  private void runPod(String name, String metadata, String container) {
    assertThat(create(name, metadata, container, "nodeName: node-a-0,").code()).isEqualTo(201);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(client.get(PODS + "/" + name).body().at("/status/phase").asText())
                    .isEqualTo("Running"));
  }

  private static String message(TestClient.Reply reply) {
    assertThat(reply.code()).as(reply.body().toString()).isEqualTo(403);
    return reply.body().path("message").asText();
  }
}
