package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
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
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes that another scheduler fills at the same time, without kubelets that would resolve the
 * conflict: with {@code sharedNodes: Verify} no node remains overcommitted, and no more pods than
 * necessary are evicted.
 */
class SharedNodesTest {

  private static final Duration SOON = Duration.ofSeconds(90);
  private static final int NODES = 6;
  private static final int CPUS = 4;

  /** The staleness of the other scheduler's list of pods, in bindings. */
  private static final int STALE = 6;

  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");

  private Sandbox sandbox;
  private KubernetesClient admin;

  @BeforeEach
  void start() throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    admin =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(Config.fromKubeconfig(sandbox.kubeconfig()))
                    .withRequestTimeout(60_000)
                    .build())
            .build();
    for (String file : List.of("00-crds.yaml", "10-namespace.yaml")) {
      try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve(file))) {
        admin.load(yaml).serverSideApply();
      }
    }
    for (int i = 0; i < NODES; i++) {
      Map<String, Quantity> resources =
          Map.of(
              "cpu", new Quantity(String.valueOf(CPUS)),
              "memory", new Quantity("16Gi"),
              "pods", new Quantity("110"));
      admin
          .resource(
              new NodeBuilder()
                  .withNewMetadata()
                  .withName("node-" + i)
                  .endMetadata()
                  .withNewSpec()
                  .endSpec()
                  .withNewStatus()
                  .withCapacity(resources)
                  .withAllocatable(resources)
                  .endStatus()
                  .build())
          .create();
    }
  }

  @AfterEach
  void stop() {
    admin.close();
    sandbox.close();
  }

  private void policy(String sharedNodes) {
    admin
        .resource(
            """
            apiVersion: sched.cloud.ctrip.com/v1
            kind: SchedulingPolicy
            metadata: {name: shared}
            spec: {default: true, sharedNodes: %s}
            """
                .formatted(sharedNodes))
        .serverSideApply();
  }

  private void createPod(String name, String scheduler) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withSchedulerName(scheduler)
                .addNewContainer()
                .withName("main")
                .withImage("busybox")
                .withNewResources()
                .addToRequests("cpu", new Quantity("1"))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  /** Binds a pod as a scheduler that ignores the bindings of others. */
  private void bindBlindly(String pod, String node) {
    createPod(pod, "foreign");
    bind(pod, node);
  }

  private void bind(String pod, String node) {
    Binding binding =
        new BindingBuilder()
            .withNewMetadata()
            .withNamespace("default")
            .withName(pod)
            .endMetadata()
            .withNewTarget()
            .withApiVersion("v1")
            .withKind("Node")
            .withName(node)
            .endTarget()
            .build();
    admin.bindings().inNamespace("default").resource(binding).create();
  }

  private List<Pod> pods() {
    return admin.pods().inNamespace("default").list().getItems();
  }

  private static boolean isOf(Pod pod, String scheduler) {
    return pod.getSpec().getSchedulerName().equals(scheduler);
  }

  private static boolean isLeaving(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null;
  }

  private long bound() {
    return pods().stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  /** Returns the number of one-CPU pods that each node keeps. */
  private Map<String, Long> kept() {
    return pods().stream()
        .filter(pod -> pod.getSpec().getNodeName() != null && !isLeaving(pod))
        .collect(Collectors.groupingBy(pod -> pod.getSpec().getNodeName(), Collectors.counting()));
  }

  private long leaving(String scheduler) {
    return pods().stream().filter(pod -> isOf(pod, scheduler) && isLeaving(pod)).count();
  }

  private Berth replica() throws IOException, InterruptedException {
    return Berth.start(BerthOptions.local("one").withHttp(0, true), admin);
  }

  private void fillByBoth() {
    for (int i = 0; i < NODES * CPUS; i++) {
      createPod("ours-" + i, "berth");
    }
    await().atMost(SOON).until(() -> bound() == NODES * CPUS);
    for (int i = 0; i < NODES; i++) {
      bindBlindly("first-" + i, "node-" + i);
      bindBlindly("second-" + i, "node-" + i);
    }
  }

  @Test
  void verifiedNodes_keepWhatFits_andLoseNoPodMore_andNoneOfTheOthers() throws Exception {
    policy("Verify");
    try (Berth berth = replica()) {
      fillByBoth();

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(kept())
                      .hasSize(NODES)
                      .allSatisfy((node, pods) -> assertThat(pods).isEqualTo(CPUS)));
      assertThat(leaving("berth")).isEqualTo(2 * NODES);
      assertThat(leaving("foreign")).isZero();
      assertThat(berth.problems()).isEmpty();
      await()
          .atMost(SOON)
          .until(
              () ->
                  admin.events().v1().events().inNamespace("default").list().getItems().stream()
                          .filter(event -> event.getReason().equals("NodeOvercommitted"))
                          .count()
                      == 2 * NODES);
    }
  }

  @Test
  void verifiedNodes_thatTwoSchedulersFillAtTheSameTime_endWithWhatFits() throws Exception {
    policy("Verify");
    for (int i = 0; i < NODES * CPUS; i++) {
      createPod("ours-" + i, "berth");
      createPod("theirs-" + i, "foreign");
    }
    Map<String, Long> old = kept();
    try (Berth berth = replica()) {
      await().atMost(SOON).until(() -> bound() > 0);
      bindWhatFitsBy(old);

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(kept())
                      .hasSize(NODES)
                      .allSatisfy((node, pods) -> assertThat(pods).isEqualTo(CPUS)));
      assertThat(leaving("foreign")).isZero();
      assertThat(berth.problems()).isEmpty();
    }
  }

  /** Binds pods as another scheduler does: each to a node with room according to a stale list. */
  private void bindWhatFitsBy(Map<String, Long> old) {
    Map<String, Long> seen = old;
    int next = 0;
    for (int round = 0; round < NODES * CPUS / STALE; round++) {
      for (int i = 0; i < STALE; i++) {
        String node = "node-" + next % NODES;
        if (seen.getOrDefault(node, 0L) < CPUS) {
          bind("theirs-" + next, node);
        }
        next++;
      }
      seen = kept();
    }
  }

  @Test
  void podWhoseAuthorChoseTheNode_evictsNobody_beforeTheKubeletHasAcceptedIt() throws Exception {
    policy("Verify");
    try (Berth berth = replica()) {
      for (int i = 0; i < NODES * CPUS; i++) {
        createPod("ours-" + i, "berth");
      }
      await().atMost(SOON).until(() -> bound() == NODES * CPUS);
      admin
          .resource(
              new PodBuilder()
                  .withNewMetadata()
                  .withNamespace("default")
                  .withName("pushy")
                  .endMetadata()
                  .withNewSpec()
                  .withSchedulerName("foreign")
                  .withNodeName("node-0")
                  .addNewContainer()
                  .withName("main")
                  .withImage("busybox")
                  .withNewResources()
                  .addToRequests("cpu", new Quantity("3"))
                  .endResources()
                  .endContainer()
                  .endSpec()
                  .build())
          .create();
      // The node is read again for this pod too, which shows that the first one was seen.
      bindBlindly("late", "node-0");
      await().during(Duration.ofSeconds(2)).atMost(SOON).until(() -> leaving("berth") == 1);

      admin
          .pods()
          .inNamespace("default")
          .withName("pushy")
          .editStatus(
              pod ->
                  new PodBuilder(pod)
                      .editStatus()
                      .withStartTime(Instant.now().toString())
                      .endStatus()
                      .build());

      await().atMost(SOON).until(() -> leaving("berth") == CPUS);
      assertThat(leaving("foreign")).isZero();
      assertThat(berth.problems()).isEmpty();
    }
  }

  @Test
  void trustedNodes_areLeftToTheirKubelets() throws Exception {
    policy("Trust");
    try (Berth berth = replica()) {
      fillByBoth();
      createPod("comes-last", "berth");
      await()
          .atMost(SOON)
          .until(
              () ->
                  admin
                      .pods()
                      .inNamespace("default")
                      .withName("comes-last")
                      .get()
                      .getStatus()
                      .getConditions()
                      .stream()
                      .anyMatch(condition -> "Unschedulable".equals(condition.getReason())));

      assertThat(kept()).allSatisfy((node, pods) -> assertThat(pods).isEqualTo(CPUS + 2));
      assertThat(leaving("berth")).isZero();
      assertThat(berth.problems()).isEmpty();
    }
  }

  @Test
  void podThatAKubeletRefuses_isCounted_andItsControllerHasAnEvent() throws Exception {
    policy("Trust");
    createPod("web-1", "berth");
    admin
        .pods()
        .inNamespace("default")
        .withName("web-1")
        .edit(
            pod ->
                new PodBuilder(pod)
                    .editMetadata()
                    .addNewOwnerReference()
                    .withApiVersion("apps/v1")
                    .withKind("ReplicaSet")
                    .withName("web")
                    .withUid("uid-of-web")
                    .withController(true)
                    .endOwnerReference()
                    .endMetadata()
                    .build());
    try (Berth berth = replica()) {
      await().atMost(SOON).until(() -> bound() == 1);

      admin
          .pods()
          .inNamespace("default")
          .withName("web-1")
          .editStatus(
              pod ->
                  new PodBuilder(pod)
                      .editStatus()
                      .withPhase("Failed")
                      .withReason("OutOfcpu")
                      .withMessage("Node didn't have enough resource: cpu")
                      .endStatus()
                      .build());

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(admin.events().v1().events().inNamespace("default").list().getItems())
                      .anySatisfy(
                          event -> {
                            assertThat(event.getReason()).isEqualTo("PodRefusedByKubelet");
                            assertThat(event.getRegarding().getKind()).isEqualTo("ReplicaSet");
                            assertThat(event.getRegarding().getName()).isEqualTo("web");
                            assertThat(event.getNote())
                                .contains("refused pod web-1: OutOfcpu: Node didn't have enough");
                          }));
      assertThat(metrics(berth)).contains("berth_kubelet_refusals_total{reason=\"OutOfcpu\"} 1.0");
    }
  }

  private static String metrics(Berth berth) throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI uri = URI.create("http://127.0.0.1:" + berth.httpPort() + "/metrics");
      return http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }
}
