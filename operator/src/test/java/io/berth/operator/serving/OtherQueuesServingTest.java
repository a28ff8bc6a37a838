package io.berth.operator.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.berth.operator.Berth;
import io.berth.operator.BerthOptions;
import io.berth.operator.Feature;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
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
