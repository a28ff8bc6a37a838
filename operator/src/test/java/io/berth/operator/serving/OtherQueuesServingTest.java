package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Queues of other projects on an API server, with the feature and without it. */
class OtherQueuesServingTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String ANNOTATION = "scheduling.volcano.sh/queue-name";

  private BerthOnSandbox cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new BerthOnSandbox(2);
    cluster.apply(
        """
        apiVersion: sched.cloud.ctrip.com/v1
        kind: SchedulingPolicy
        metadata: {name: standard}
        spec: {default: true}
        """);
    cluster.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: queues.scheduling.volcano.sh}
        spec:
          group: scheduling.volcano.sh
          names: {kind: Queue, plural: queues, singular: queue, listKind: QueueList}
          scope: Cluster
          versions:
          - name: v1beta1
            served: true
            storage: true
            schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
        """);
    cluster.apply(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: Queue
        metadata: {name: test}
        spec: {weight: 1, reclaimable: false, capability: {cpu: 2}}
        """);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private void create(String name) {
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod(name, "standard", "2"))
                .editMetadata()
                .addToAnnotations(Map.of(ANNOTATION, "test"))
                .endMetadata()
                .build())
        .create();
  }

  private boolean isBound(String pod) {
    return cluster.pod(pod).getSpec().getNodeName() != null;
  }

  private String waits(String pod) {
    return cluster.pod(pod).getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("PodScheduled"))
        .map((PodCondition condition) -> condition.getReason() + ": " + condition.getMessage())
        .findFirst()
        .orElse("");
  }

  @Test
  void capabilityOfAVolcanoQueue_isTheLimitOfItsPods() throws Exception {
    BerthOptions options =
        BerthOptions.local("one").withHttp(0, true).withFeatures(Feature.OTHER_QUEUES);
    try (Berth berth = Berth.start(options, cluster.admin())) {
      await().atMost(SOON).until(berth::isLeading);
      create("first");
      await().atMost(SOON).until(() -> isBound("first"));
      create("second");

      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(waits("second"))
                      .startsWith("HeldByQueue: queue volcano/test uses 2 of 2 cpu"));
    }
  }

  private void servePodGroups() {
    cluster.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: podgroups.scheduling.volcano.sh}
        spec:
          group: scheduling.volcano.sh
          names: {kind: PodGroup, plural: podgroups, singular: podgroup, listKind: PodGroupList}
          scope: Namespaced
          versions:
          - name: v1beta1
            served: true
            storage: true
            subresources: {status: {}}
            schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
        """);
  }

  private void createGroup(String name) {
    cluster.apply(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: PodGroup
        metadata: {name: %s, namespace: default}
        spec: {minMember: 1, queue: test, minResources: {cpu: 2}}
        """
            .formatted(name));
  }

  private String statusOfGroup(String name) {
    return String.valueOf(group(name).get().getAdditionalProperties().get("status"));
  }

  private Resource<GenericKubernetesResource> group(String name) {
    return cluster
        .admin()
        .genericKubernetesResources("scheduling.volcano.sh/v1beta1", "PodGroup")
        .inNamespace("default")
        .withName(name);
  }

  /** As Volcano's controller does once the group is admitted. */
  private void createPodOf(String group) {
    cluster
        .admin()
        .resource(
            new PodBuilder(cluster.unboundPod(group + "-0", "standard", "2"))
                .editMetadata()
                .addToAnnotations(Map.of("scheduling.k8s.io/group-name", group))
                .endMetadata()
                .build())
        .create();
  }

  @Test
  void podGroup_isAdmittedOnceItsQueueHasRoom() throws Exception {
    servePodGroups();
    createGroup("first");
    BerthOptions options =
        BerthOptions.local("one")
            .withHttp(0, true)
            .withSchedulerNames("berth", "volcano")
            .withFeatures(Feature.OTHER_QUEUES);
    try (Berth berth = Berth.start(options, cluster.admin())) {
      await().atMost(SOON).until(berth::isLeading);
      await().atMost(SOON).until(() -> statusOfGroup("first").contains("phase=Inqueue"));
      createGroup("second");
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(statusOfGroup("second"))
                      .contains("phase=Pending", "has promised 2 to other groups"));

      createPodOf("first");
      await().atMost(SOON).until(() -> isBound("first-0"));
      await().atMost(SOON).until(() -> statusOfGroup("first").contains("phase=Running"));
      assertThat(statusOfGroup("second")).contains("phase=Pending");

      group("first").delete(); // as with its Job
      cluster.admin().pods().inNamespace("default").withName("first-0").withGracePeriod(0).delete();
      await().atMost(SOON).until(() -> statusOfGroup("second").contains("phase=Inqueue"));
    }
  }

  @Test
  void withoutTheFeature_theQueueIsNotRead() throws Exception {
    try (Berth berth = Berth.start(BerthOptions.local("one").withHttp(0, true), cluster.admin())) {
      await().atMost(SOON).until(berth::isLeading);
      create("first");
      create("second");

      await().atMost(SOON).until(() -> isBound("first") && isBound("second"));
    }
  }
}
