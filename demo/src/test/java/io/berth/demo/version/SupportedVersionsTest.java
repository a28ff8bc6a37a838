package io.berth.demo.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.crds.NodeSchedulerConfig;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.Manifests;
import io.berth.demo.ground.BerthGround;
import io.berth.operator.Feature;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.ServerFeature;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The same scenario on an API server that emulates each supported version of Kubernetes. */
class SupportedVersionsTest {

  private static final String ZONE = "topology.kubernetes.io/zone";

  private BerthGround ground;

  @ParameterizedTest
  @EnumSource(KubernetesVersion.class)
  void theStory_isTheSameOnEveryVersion(KubernetesVersion version) throws Exception {
    try (BerthGround started =
        BerthGround.start(
            BerthGround.options().withFeatures(Feature.HAMI, Feature.LEGACY_BINDING), version)) {
      ground = started;
      assertThat(started.admin().getKubernetesVersion().getMinor())
          .isEqualTo(String.valueOf(version.minor()));

      podsAreRenderedAndPlaced();
      aPodThatFitsNowhereSaysWhy();
      aMoreImportantPodEvicts();
      gpuCardsAreHandedToAgents();
      aGroupIsPlacedTogether();
      statusesAreWritten();
      thePodsAreThoseOfTheVersion(version);
    }
  }

  private void podsAreRenderedAndPlaced() throws IOException {
    new Manifests(ground.admin()).apply(Checkout.find().sample("resource-pool"), object -> true);

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.byPool(ground.pods("default", "web"))).isEqualTo(Map.of("A", 6)));
    Pod pod = ground.pods("default", "web").getFirst();
    assertThat(pod.getSpec().getSchedulerName()).isEqualTo("berth");
    assertThat(pod.getSpec().getAffinity().getNodeAffinity()).isNotNull();
  }

  private void aPodThatFitsNowhereSaysWhy() {
    create("huge", "", "64", "");

    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(BerthGround.waitsBecause(ground.pod("default", "huge")))
                    .contains("0/9 nodes are available", "Insufficient cpu"));
  }

  private void aMoreImportantPodEvicts() {
    ground.apply(
        """
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: online}
        value: 1000
        """);
    create("batch", "", "4", "nodeSelector: {kubernetes.io/hostname: node-b-0}");
    ground.awaitNode("default", "batch");

    create(
        "online",
        "",
        "4",
        "priorityClassName: online, nodeSelector: {kubernetes.io/hostname: node-b-0}");

    assertThat(ground.awaitNode("default", "online")).isEqualTo("node-b-0");
    await().atMost(BerthGround.SOON).until(() -> ground.pod("default", "batch") == null);
  }

  private void gpuCardsAreHandedToAgents() {
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: gpu}
        spec: {gpu: {cardChoice: LeastFragmentation}}
        """);
    ground
        .admin()
        .nodes()
        .withName("node-public-0")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"metadata": {"annotations": {"hami.io/node-nvidia-register":
              "[{\\"id\\":\\"GPU-a\\",\\"count\\":10,\\"devmem\\":16384,\\"devcore\\":100,\\"type\\":\\"NVIDIA-T4\\",\\"health\\":true}]"}}}
            """);
    ground
        .admin()
        .nodes()
        .withName("node-public-0")
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"capacity": {"nvidia.com/gpu": "10"}, "allocatable": {"nvidia.com/gpu": "10"}}}
            """);
    ground.awaitPolicy("gpu", "Serving");
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: default
          name: gpu
          annotations: {sched.cloud.ctrip.com/policy: gpu}
        spec:
          containers:
          - {name: main, image: busybox, resources: {limits: {nvidia.com/gpu: "1", nvidia.com/gpumem: "4096"}}}
        """);

    assertThat(ground.awaitNode("default", "gpu")).isEqualTo("node-public-0");
    assertThat(annotations("gpu").get("hami.io/vgpu-devices-allocated")).contains("GPU-a");
    await("the label, with the Binding or after it")
        .atMost(BerthGround.SOON)
        .until(() -> labels("gpu").containsKey("hami.io/vgpu-node"));
  }

  private void aGroupIsPlacedTogether() {
    String member = ", sched.cloud.ctrip.com/group: pair, sched.cloud.ctrip.com/group-min: \"2\"";
    create("first", member, "1", "");
    await()
        .atMost(BerthGround.SOON)
        .until(() -> !BerthGround.waitsBecause(ground.pod("default", "first")).isEmpty());

    create("second", member, "1", "");

    for (String pod : List.of("first", "second")) {
      ground.awaitNode("default", pod);
    }
  }

  private void statusesAreWritten() {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.policy("pool-first"))
                    .satisfies(
                        status -> {
                          assertThat(status.pods())
                              .as("six web pods and four single pods")
                              .isEqualTo(10);
                          assertThat(BerthGround.isReady(status.conditions())).isTrue();
                        }));
    assertThat(
            ground
                .admin()
                .resources(NodeSchedulerConfig.class)
                .withName("resource-pool-example")
                .get()
                .getStatus()
                .pods())
        .isEqualTo(6);
    assertThat(ground.events("default", "online", "Scheduled")).hasSize(1);
  }

  /** Checks that the server really behaves like the version. */
  private void thePodsAreThoseOfTheVersion(KubernetesVersion version) {
    assertThat(labels("first").containsKey(ZONE))
        .isEqualTo(ServerFeature.LABELS_OF_BINDINGS.isIn(version));
    assertThat(ground.admin().nodes().withName("node-a-0").get().getStatus().getNodeInfo())
        .satisfies(info -> assertThat(info.getKubeletVersion()).isEqualTo(version.release()));
  }

  private void create(String name, String annotations, String cpus, String spec) {
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          namespace: default
          name: %s
          annotations: {sched.cloud.ctrip.com/policy: pool-first%s}
        spec: {terminationGracePeriodSeconds: 0, containers: [{name: main, image: busybox, resources: {requests: {cpu: "%s"}}}], %s}
        """
            .formatted(name, annotations, cpus, spec));
  }

  private Map<String, String> labels(String pod) {
    return Objects.requireNonNullElse(
        ground.pod("default", pod).getMetadata().getLabels(), Map.of());
  }

  private Map<String, String> annotations(String pod) {
    return ground.pod("default", pod).getMetadata().getAnnotations();
  }
}
