package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.sandbox.auth.Caller;
import io.berth.sandbox.kubelet.Kubelets;
import io.berth.sandbox.rest.WriteOptions;
import io.berth.sandbox.store.Json;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A simulated cluster from the view of a user: created workloads run, and deleted ones terminate.
 */
class SimulatedClusterTest {
  private static final Map<String, String> SMALL =
      Map.of("cpu", "4", "memory", "8Gi", "pods", "10");

  private final RunningCluster cluster = new RunningCluster();
  private final KubernetesClient client = cluster.client;

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void nodes_becomeReady_andShowWhatTheyUse() {
    cluster.nodes.addPool("A", 3, SMALL);

    eventually()
        .untilAsserted(
            () ->
                assertThat(client.nodes().list().getItems())
                    .hasSize(3)
                    .allSatisfy(node -> assertThat(ready(node)).isEqualTo("True")));
    Node first = client.nodes().withName("node-a-0").get();
    assertThat(first.getMetadata().getLabels())
        .containsEntry("cloud.ctrip.com/pool", "A")
        .containsEntry("topology.kubernetes.io/zone", "zone-1");
    assertThat(client.top().nodes().metrics("node-a-0").getUsage()).containsKey("cpu");
  }

  @Test
  void cordonedNode_isTainted_untilItIsUncordoned() {
    cluster.nodes.addPool("A", 1, SMALL);

    client.nodes().withName("node-a-0").edit(node -> cordon(node, true));
    eventually()
        .untilAsserted(
            () ->
                assertThat(client.nodes().withName("node-a-0").get().getSpec().getTaints())
                    .extracting(Taint::getKey)
                    .contains("node.kubernetes.io/unschedulable"));
    client.nodes().withName("node-a-0").edit(node -> cordon(node, null));
    eventually()
        .untilAsserted(
            () ->
                assertThat(client.nodes().withName("node-a-0").get().getSpec().getTaints())
                    .isEmpty());
  }

  @Test
  void deployment_rollsOut_andItsPodsGoWithIt() {
    cluster.nodes.addPool("A", 1, SMALL);
    Deployment web =
        client
            .apps()
            .deployments()
            .inNamespace("default")
            .resource(
                """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: 3
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: c, image: 'c:1', resources: {requests: {cpu: 100m}}}]}
                """
                    .transform(SimulatedClusterTest::deployment))
            .create();
    bindAll(3, "node-a-0");

    eventually()
        .untilAsserted(
            () -> {
              Deployment now =
                  client.apps().deployments().inNamespace("default").withName("web").get();
              assertThat(now.getStatus().getAvailableReplicas()).isEqualTo(3);
              assertThat(now.getStatus().getConditions())
                  .anySatisfy(
                      condition ->
                          assertThat(condition.getReason()).isEqualTo("NewReplicaSetAvailable"));
            });
    assertThat(pods()).allSatisfy(pod -> assertThat(pod.getStatus().getPodIP()).isNotEmpty());
    assertThat(web.getMetadata().getName()).isEqualTo("web");

    client.apps().deployments().inNamespace("default").withName("web").scale(1);
    eventually().untilAsserted(() -> assertThat(pods()).hasSize(1));
    client.apps().deployments().inNamespace("default").withName("web").delete();
    eventually()
        .untilAsserted(
            () -> {
              assertThat(client.apps().replicaSets().inNamespace("default").list().getItems())
                  .isEmpty();
              assertThat(pods()).isEmpty();
            });
  }

  @Test
  void podThatDoesNotFit_isRefusedByItsKubelet() {
    cluster.nodes.addPool("A", 1, SMALL);
    createPod("big", "3", Map.of());
    createPod("bigger", "2", Map.of());
    bind("big", "node-a-0");
    bind("bigger", "node-a-0");

    eventually()
        .untilAsserted(
            () -> {
              Pod refused = client.pods().inNamespace("default").withName("bigger").get();
              assertThat(refused.getStatus().getPhase()).isEqualTo("Failed");
              assertThat(refused.getStatus().getReason()).isEqualTo("OutOfcpu");
              assertThat(refused.getStatus().getMessage())
                  .isEqualTo(
                      "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000,"
                          + " used: 3000, capacity: 4000");
            });
    assertThat(client.v1().events().inNamespace("default").list().getItems())
        .extracting(Event::getReason)
        .contains("OutOfcpu");
  }

  @Test
  void job_completes_whenItsPodsHaveRun() {
    cluster.nodes.addPool("A", 1, SMALL);
    client
        .batch()
        .v1()
        .jobs()
        .inNamespace("default")
        .resource(
            Serialization.unmarshal(
                """
                apiVersion: batch/v1
                kind: Job
                metadata: {name: sum}
                spec:
                  completions: 2
                  parallelism: 2
                  template:
                    metadata: {annotations: {%s: 10ms}}
                    spec: {restartPolicy: Never, containers: [{name: c, image: 'c:1'}]}
                """
                    .formatted(Kubelets.RUN_FOR),
                Job.class))
        .create();
    bindAll(2, "node-a-0");

    eventually()
        .untilAsserted(
            () -> {
              Job now = client.batch().v1().jobs().inNamespace("default").withName("sum").get();
              assertThat(now.getStatus().getSucceeded()).isEqualTo(2);
              assertThat(now.getStatus().getConditions())
                  .anySatisfy(condition -> assertThat(condition.getType()).isEqualTo("Complete"));
            });
  }

  @Test
  void disruptionBudget_countsHealthyPods() {
    cluster.nodes.addPool("A", 1, SMALL);
    createPod("one", "100m", Map.of("app", "db"));
    createPod("two", "100m", Map.of("app", "db"));
    client
        .resource(
            """
            apiVersion: policy/v1
            kind: PodDisruptionBudget
            metadata: {name: db, namespace: default}
            spec: {minAvailable: 1, selector: {matchLabels: {app: db}}}
            """)
        .create();
    bind("one", "node-a-0");
    bind("two", "node-a-0");

    eventually()
        .untilAsserted(
            () -> {
              var status =
                  client
                      .policy()
                      .v1()
                      .podDisruptionBudget()
                      .inNamespace("default")
                      .withName("db")
                      .get()
                      .getStatus();
              assertThat(status.getDisruptionsAllowed()).isEqualTo(1);
              assertThat(status.getExpectedPods()).isEqualTo(2);
            });
  }

  @Test
  void deletedPod_goesAfterItsKubeletHasStoppedIt() {
    cluster.nodes.addPool("A", 1, SMALL);
    createPod("one", "100m", Map.of());
    bind("one", "node-a-0");
    eventually()
        .untilAsserted(
            () ->
                assertThat(
                        client
                            .pods()
                            .inNamespace("default")
                            .withName("one")
                            .get()
                            .getStatus()
                            .getPhase())
                    .isEqualTo("Running"));

    client.pods().inNamespace("default").withName("one").delete();

    eventually().untilAsserted(() -> assertThat(pods()).isEmpty());
  }

  @Test
  void podsOfADeletedNode_go() {
    cluster.nodes.addPool("A", 2, SMALL);
    createPod("stays", "100m", Map.of());
    createPod("goes", "100m", Map.of());
    bind("stays", "node-a-0");
    bind("goes", "node-a-1");
    eventually().untilAsserted(() -> assertThat(phase("goes")).isEqualTo("Running"));

    client.nodes().withName("node-a-1").delete();

    eventually()
        .untilAsserted(
            () ->
                assertThat(pods())
                    .extracting(pod -> pod.getMetadata().getName())
                    .containsExactly("stays"));
  }

  @Test
  void noExecuteTaint_evictsWhatDoesNotTolerateIt() {
    cluster.nodes.addPool("A", 1, SMALL);
    createPod("goes", "100m", Map.of());
    client
        .resource(
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: stays, namespace: default}
            spec:
              tolerations: [{key: maintenance, operator: Exists, effect: NoExecute}]
              containers: [{name: c, image: 'c:1'}]
            """)
        .create();
    bind("goes", "node-a-0");
    bind("stays", "node-a-0");
    eventually().untilAsserted(() -> assertThat(phase("stays")).isEqualTo("Running"));

    client
        .nodes()
        .withName("node-a-0")
        .edit(
            node -> {
              node.getSpec().getTaints().add(new Taint("NoExecute", "maintenance", null, "now"));
              return node;
            });

    eventually()
        .untilAsserted(
            () ->
                assertThat(pods())
                    .extracting(pod -> pod.getMetadata().getName())
                    .containsExactly("stays"));
    assertThat(client.v1().events().inNamespace("default").list().getItems())
        .extracting(Event::getReason)
        .contains("TaintManagerEviction");
  }

  private @Nullable String phase(String pod) {
    return client.pods().inNamespace("default").withName(pod).get().getStatus().getPhase();
  }

  private static Deployment deployment(String yaml) {
    return Serialization.unmarshal(yaml, Deployment.class);
  }

  private static Node cordon(Node node, @Nullable Boolean cordoned) {
    node.getSpec().setUnschedulable(cordoned);
    return node;
  }

  private void createPod(String name, String cpu, Map<String, String> labels) {
    ObjectNode pod = Json.object();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = pod.putObject("metadata").put("name", name).put("namespace", "default");
    labels.forEach(metadata.putObject("labels")::put);
    ObjectNode container = pod.putObject("spec").putArray("containers").addObject();
    container.put("name", "c").put("image", "c:1");
    container.putObject("resources").putObject("requests").put("cpu", cpu);
    client.resource(pod.toString()).create();
  }

  private void bindAll(int count, String node) {
    eventually()
        .untilAsserted(
            () -> {
              for (Pod pod : pods()) {
                if (pod.getSpec().getNodeName() == null) {
                  bind(pod.getMetadata().getName(), node);
                }
              }
              assertThat(pods())
                  .filteredOn(pod -> pod.getSpec().getNodeName() != null)
                  .hasSize(count);
            });
  }

  private void bind(String pod, String node) {
    ObjectNode binding = Json.object();
    binding.put("apiVersion", "v1").put("kind", "Binding");
    binding.putObject("metadata").put("name", pod).put("namespace", "default");
    binding.putObject("target").put("apiVersion", "v1").put("kind", "Node").put("name", node);
    cluster
        .sandbox
        .api()
        .bind(Caller.controlPlane("scheduler"), "default", pod, binding, WriteOptions.plain());
  }

  private List<Pod> pods() {
    return client.pods().inNamespace("default").list().getItems();
  }

  private static String ready(Node node) {
    return node.getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("Ready"))
        .map(condition -> condition.getStatus())
        .findFirst()
        .orElse("");
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
  }
}
