package io.berth.demo.version;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.demo.ground.BerthGround;
import io.berth.sandbox.release.KubernetesVersion;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The differences for schedulers since Kubernetes 1.37, on an API server that emulates it: groups
 * of {@code scheduling.k8s.io/v1beta1}, scores by free storage (StorageCapacityScoring), CSI
 * drivers that have to be installed (VolumeLimitScaling), and DeviceTaintRules.
 */
class Kubernetes137Test {
  private static final ResourceDefinitionContext POD_GROUPS =
      new ResourceDefinitionContext.Builder()
          .withGroup("scheduling.k8s.io")
          .withVersion("v1beta1")
          .withKind("PodGroup")
          .withPlural("podgroups")
          .withNamespaced(true)
          .build();

  private static final ResourceDefinitionContext TAINT_RULES =
      new ResourceDefinitionContext.Builder()
          .withGroup("resource.k8s.io")
          .withVersion("v1")
          .withKind("DeviceTaintRule")
          .withPlural("devicetaintrules")
          .withNamespaced(false)
          .build();

  private BerthGround ground;

  @AfterEach
  void stop() {
    ground.close();
  }

  private void start(KubernetesVersion version) throws IOException, InterruptedException {
    ground = BerthGround.start(BerthGround.options(), version);
    ground.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: training}
        spec: {default: true}
        ---
        apiVersion: scheduling.k8s.io/v1
        kind: PriorityClass
        metadata: {name: online}
        value: 1000
        """);
    ground.awaitPolicy("training", "Serving");
  }

  private void createGroup(String name, int minCount, String mode, String priorityClass) {
    ground.apply(
        """
        apiVersion: scheduling.k8s.io/v1beta1
        kind: PodGroup
        metadata: {name: %s, namespace: default}
        spec:
          schedulingPolicy: {gang: {minCount: %d}}
          disruptionMode: {%s: {}}
          priorityClassName: "%s"
        """
            .formatted(name, minCount, mode, priorityClass));
  }

  /** Creates a pod that needs most of a node of pool B, which has three. */
  private void createMember(String group, String name, String priorityClass) {
    ground.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s, namespace: default, labels: {app: %s}}
        spec:
          schedulerName: berth
          priorityClassName: "%s"
          terminationGracePeriodSeconds: 0
          schedulingGroup: {podGroupName: %s}
          nodeSelector: {cloud.ctrip.com/pool: B}
          containers: [{name: main, image: main, resources: {requests: {cpu: "3"}}}]
        """
            .formatted(name, group, priorityClass, group));
  }

  private Resource<GenericKubernetesResource> group(String name) {
    return ground
        .admin()
        .genericKubernetesResources(POD_GROUPS)
        .inNamespace("default")
        .withName(name);
  }

  private void awaitStatus(String group, String... parts) {
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(String.valueOf(group(group).get().getAdditionalProperties()))
                    .contains(parts));
  }

  private long bound(String group) {
    return ground.pods("default", group).stream()
        .map(pod -> pod.getSpec().getNodeName())
        .filter(Objects::nonNull)
        .count();
  }

  @Test
  void group_isPlaced_afterItsMinimumWasLowered() throws Exception {
    start(KubernetesVersion.V1_37);
    createGroup("train", 4, "single", "");
    Stream.of("a", "b", "c", "d").forEach(pod -> createMember("train", pod, ""));
    awaitStatus("train", "type=PodGroupInitiallyScheduled", "status=False", "reason=Unschedulable");
    assertThat(bound("train")).isZero();

    group("train")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"schedulingPolicy\": {\"gang\": {\"minCount\": 3}}}}");

    awaitStatus("train", "type=PodGroupInitiallyScheduled", "status=True", "reason=Scheduled");
    assertThat(bound("train")).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({"single, 1", "all, 0"})
  void moreImportantGroup_evictsPods_orTheWholeGroup(String mode, int remaining) throws Exception {
    start(KubernetesVersion.V1_37);
    createGroup("batch", 1, mode, "");
    List.of("a", "b", "c").forEach(pod -> createMember("batch", pod, ""));
    await().atMost(BerthGround.SOON).until(() -> bound("batch") == 3);

    createGroup("online", 2, "single", "online");
    List.of("x", "y").forEach(pod -> createMember("online", pod, "online"));

    awaitStatus("online", "status=True", "reason=Scheduled", "priority=1000");
    assertThat(bound("online")).isEqualTo(2);
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(() -> assertThat(ground.pods("default", "batch")).hasSize(remaining));
  }

  /**
   * The node with more free storage is half full of pods: without the score, the other one is
   * better.
   */
  @ParameterizedTest
  @CsvSource({"V1_36, node-b-1", "V1_37, node-b-0"})
  void nodeWithMoreFreeStorage_isChosen_from137On(KubernetesVersion version, String chosen)
      throws Exception {
    start(version);
    ground.apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: CSIDriver
        metadata: {name: disk.example.com}
        spec: {storageCapacity: true}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: other, namespace: default}
        spec:
          schedulerName: berth
          nodeSelector: {kubernetes.io/hostname: node-b-0}
          containers: [{name: main, image: main, resources: {requests: {cpu: "1"}}}]
        """);
    reportFree("node-b-0", "100Gi");
    reportFree("node-b-1", "10Gi");
    ground.awaitNode("default", "other");

    createPodWithVolume("node-b-0, node-b-1");

    assertThat(ground.awaitNode("default", "with-volume")).isEqualTo(chosen);
  }

  private void reportFree(String node, String capacity) {
    ground.apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: CSIStorageCapacity
        metadata: {name: %1$s, namespace: default}
        storageClassName: made
        nodeTopology: {matchLabels: {kubernetes.io/hostname: %1$s}}
        capacity: %2$s
        """
            .formatted(node, capacity));
  }

  private void createPodWithVolume(String nodes) {
    ground.apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: StorageClass
        metadata: {name: made}
        provisioner: disk.example.com
        volumeBindingMode: WaitForFirstConsumer
        ---
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: data, namespace: default}
        spec:
          storageClassName: made
          accessModes: [ReadWriteOnce]
          resources: {requests: {storage: 9Gi}}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: with-volume, namespace: default}
        spec:
          schedulerName: berth
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - {key: kubernetes.io/hostname, operator: In, values: [%s]}
          volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
          containers: [{name: main, image: main, resources: {requests: {cpu: "1"}}}]
        """
            .formatted(nodes));
  }

  @Test
  void podWaits_untilTheDriverOfItsVolumeIsInstalled() throws Exception {
    start(KubernetesVersion.V1_37);
    ground.apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: CSIDriver
        metadata: {name: disk.example.com}
        spec: {preventPodSchedulingIfMissing: true}
        """);
    createPodWithVolume("node-b-1");
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(BerthGround.waitsBecause(ground.pod("default", "with-volume")))
                    .contains("disk.example.com"));

    ground.apply(
        """
        apiVersion: storage.k8s.io/v1
        kind: CSINode
        metadata: {name: node-b-1}
        spec: {drivers: [{name: disk.example.com, nodeID: node-b-1}]}
        """);

    assertThat(ground.awaitNode("default", "with-volume")).isEqualTo("node-b-1");
  }

  @Test
  void deviceTaintRule_keepsPodsFromDevices_untilItIsDeleted() throws Exception {
    start(KubernetesVersion.V1_37);
    String node = ground.admin().nodes().list().getItems().getFirst().getMetadata().getName();
    ground.apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: DeviceClass
        metadata: {name: gpu}
        spec: {}
        ---
        apiVersion: resource.k8s.io/v1
        kind: ResourceSlice
        metadata: {name: gpus}
        spec:
          driver: gpu.example.com
          nodeName: %s
          pool: {name: gpus, generation: 1, resourceSliceCount: 1}
          devices: [{name: gpu-0}]
        ---
        apiVersion: resource.k8s.io/v1
        kind: DeviceTaintRule
        metadata: {name: broken}
        spec:
          deviceSelector: {driver: gpu.example.com}
          taint: {key: broken, effect: NoSchedule}
        ---
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaim
        metadata: {name: gpu, namespace: default}
        spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
        ---
        apiVersion: v1
        kind: Pod
        metadata: {name: claimer, namespace: default, labels: {app: claimer}}
        spec:
          schedulerName: berth
          resourceClaims: [{name: gpu, resourceClaimName: gpu}]
          containers: [{name: main, image: main}]
        """
            .formatted(node));
    await()
        .atMost(BerthGround.SOON)
        .untilAsserted(
            () ->
                assertThat(ground.pods("default", "claimer").getFirst().getStatus().getConditions())
                    .anySatisfy(
                        condition ->
                            assertThat(condition.getMessage())
                                .contains("cannot allocate all claims")));

    ground.admin().genericKubernetesResources(TAINT_RULES).withName("broken").delete();

    await().atMost(BerthGround.SOON).until(() -> bound("claimer") == 1);
  }
}
