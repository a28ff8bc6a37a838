package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.berth.sandbox.Sandbox;
import io.berth.sandbox.SandboxOptions;
import io.berth.sandbox.SimulatedCluster;
import io.berth.sandbox.kubelet.KubeletOptions;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A cluster for these tests: Berth's definitions, some nodes, and replicas that tests start. */
final class BerthOnSandbox implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path MANIFESTS = Path.of("..", "deploy", "manifests");

  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final Sandbox sandbox;
  private final SimulatedCluster cluster;
  private final KubernetesClient admin;

  BerthOnSandbox(int nodes) throws IOException {
    sandbox = Sandbox.start(SandboxOptions.defaults());
    cluster = SimulatedCluster.start(sandbox.api(), KubeletOptions.immediate(), Clock.systemUTC());
    cluster.addPool("A", nodes, Map.of("cpu", "4", "memory", "16Gi", "pods", "110"));
    admin = client();
    for (String file : List.of("00-crds.yaml", "10-namespace.yaml")) {
      try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve(file))) {
        admin.load(yaml).serverSideApply();
      }
    }
  }

  KubernetesClient admin() {
    return admin;
  }

  KubernetesClient client() {
    return new KubernetesClientBuilder()
        .withConfig(
            new ConfigBuilder(Config.fromKubeconfig(sandbox.kubeconfig()))
                .withRequestTimeout(60_000) // a busy machine is no failure
                .build())
        .build();
  }

  void addNodes(String pool, int count, String cpu) {
    cluster.addPool(pool, count, Map.of("cpu", cpu, "memory", "64Gi", "pods", "110"));
  }

  /**
   * Adds a node with more resources than these tests usually need, and with annotations of its
   * agents.
   */
  void addNode(String pool, Map<String, String> resources, Map<String, String> annotations) {
    Map<String, String> all = new HashMap<>(Map.of("cpu", "64", "memory", "64Gi", "pods", "110"));
    all.putAll(resources);
    cluster.addPool(pool, 1, all);
    admin.nodes().withName(nodeOf(pool)).patch(MERGE, annotationPatch(annotations));
  }

  /** Adds annotations to a pod, despite concurrent changes. */
  void annotate(String pod, Map<String, String> annotations) {
    admin.pods().inNamespace("default").withName(pod).patch(MERGE, annotationPatch(annotations));
  }

  private static String annotationPatch(Map<String, String> annotations) {
    return Serialization.asJson(Map.of("metadata", Map.of("annotations", annotations)));
  }

  /** Returns the name of the first node of a pool. */
  static String nodeOf(String pool) {
    return "node-" + pool.toLowerCase(Locale.ROOT) + "-0";
  }

  Berth replica(String identity) throws IOException, InterruptedException {
    return Berth.start(
        BerthOptions.local(identity).withHttp(0, true).withFeatures(Feature.values()), admin);
  }

  void installWebhooks() throws IOException {
    try (InputStream yaml = Files.newInputStream(MANIFESTS.resolve("80-webhooks.yaml"))) {
      admin.load(yaml).serverSideApply();
    }
  }

  void apply(String yaml) {
    admin.resource(yaml).serverSideApply();
  }

  Pod createPod(String name, String policy, String cpu) {
    return admin.resource(unboundPod(name, policy, cpu)).create();
  }

  /** Returns a pod for Berth, without creating it. */
  Pod unboundPod(String name, String policy, String cpu) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName(name)
        .addToAnnotations("sched.cloud.ctrip.com/policy", policy)
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .withImage("busybox")
        .withNewResources()
        .addToRequests("cpu", new Quantity(cpu))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  Pod pod(String name) {
    return admin.pods().inNamespace("default").withName(name).get();
  }

  /** Waits until the pod has a node. */
  void awaitBound(String pod) {
    await().atMost(SOON).until(() -> pod(pod).getSpec().getNodeName() != null);
  }

  /**
   * Waits until the pod's condition PodScheduled is False with this reason.
   *
   * @param nominatedNode the node that the pod is nominated for; empty for none
   */
  void awaitSignal(String name, String reason, String nominatedNode) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              Pod pod = pod(name);
              assertThat(pod.getStatus().getConditions())
                  .filteredOn(condition -> condition.getType().equals("PodScheduled"))
                  .extracting(PodCondition::getStatus, PodCondition::getReason)
                  .containsExactly(tuple("False", reason));
              String nominated = pod.getStatus().getNominatedNodeName();
              assertThat(nominated == null ? "" : nominated).isEqualTo(nominatedNode);
            });
  }

  /** Returns whether the pod's status says that it is not scheduled, for whatever reason. */
  boolean isRejected(String pod) {
    return pod(pod).getStatus().getConditions().stream()
        .anyMatch(
            condition ->
                condition.getType().equals("PodScheduled")
                    && condition.getStatus().equals("False"));
  }

  @Override
  public void close() {
    admin.close();
    cluster.close();
    sandbox.close();
  }
}
