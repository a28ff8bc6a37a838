package io.berth.engine.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.QueueRef;
import io.berth.engine.model.ResourceAmounts;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The queue objects of other projects, with the values of their documentation, and the ways in
 * which pods name them.
 */
class QueuesOfOthersTest {
  private static final String GPU = "nvidia.com/gpu";
  private static final long GIBI = 1L << 30;

  private static ClusterEvent event(QueueDialect dialect, String yaml) {
    return new KubeEvents()
        .queueUpserted(dialect, Serialization.unmarshal(yaml, GenericKubernetesResource.class));
  }

  private static QueueModel queue(QueueDialect dialect, String yaml) {
    return ((ClusterEvent.QueueUpserted) event(dialect, yaml)).queue();
  }

  private static String notKept(QueueDialect dialect, String yaml) {
    return ((ClusterEvent.QueueUpserted) event(dialect, yaml))
        .partly()
        .map(Refusal::reason)
        .orElse("");
  }

  private static String volcano(String name, String spec) {
    return """
    apiVersion: scheduling.volcano.sh/v1beta1
    kind: Queue
    metadata: {name: %s}
    spec: %s
    """
        .formatted(name, spec);
  }

  private static String kai(String name, String spec) {
    return """
    apiVersion: scheduling.run.ai/v2
    kind: Queue
    metadata: {name: %s}
    spec: %s
    """
        .formatted(name, spec);
  }

  private static String quota(String group, String metadata, String spec) {
    return """
    apiVersion: %s/v1alpha1
    kind: ElasticQuota
    metadata: %s
    spec: %s
    """
        .formatted(group, metadata, spec);
  }

  private static ResourceAmounts amounts(String name, long amount, String other, long second) {
    return ResourceAmounts.of(Map.of(name, amount, other, second));
  }

  // ---------------------------------------------------------------------------------- Volcano

  /** As in the guide to the capacity plugin. */
  @Test
  void volcano_deservedIsGuaranteed() {
    String yaml = volcano("queue1", "{reclaimable: true, deserved: {cpu: 2, memory: 8Gi}}");

    QueueModel queue = queue(QueueDialect.VOLCANO, yaml);
    assertThat(queue.name()).isEqualTo("volcano/queue1");
    assertThat(queue.guarantee()).isEqualTo(amounts("cpu", 2_000, "memory", 8 * GIBI));
    assertThat(queue.limit()).isEqualTo(ResourceAmounts.none());
    assertThat(queue.reclaimable()).isTrue();
    assertThat(queue.open()).isTrue();
    assertThat(queue.admitsAny()).as("pods name it").isFalse();
    assertThat(notKept(QueueDialect.VOLCANO, yaml)).isEmpty();
  }

  /** As in the example of a deployment. */
  @Test
  void volcano_capabilityIsTheLimit_andPodsThatAreNotReclaimableStay() {
    QueueModel queue =
        queue(
            QueueDialect.VOLCANO,
            volcano("test", "{weight: 3, reclaimable: false, capability: {cpu: 2}}"));

    assertThat(queue.limit()).isEqualTo(ResourceAmounts.of(Map.of("cpu", 2_000L)));
    assertThat(queue.reclaimable()).isFalse();
    assertThat(queue.weight()).isEqualTo(3);
  }

  @Test
  void volcano_largerOfGuaranteeAndDeservedCounts_andTheReserveIsReported() {
    String yaml =
        volcano(
            "a",
            "{guarantee: {resource: {cpu: 4}}, deserved: {cpu: 2, nvidia.com/gpu: 8}, priority:"
                + " 7}");

    QueueModel queue = queue(QueueDialect.VOLCANO, yaml);
    assertThat(queue.guarantee()).isEqualTo(amounts("cpu", 4_000, GPU, 8));
    assertThat(queue.priority()).isEqualTo(7);
    assertThat(notKept(QueueDialect.VOLCANO, yaml))
        .isEqualTo(
            "Berth does not keep spec.guarantee as a reserve (others borrow it while it is not"
                + " used)");
  }

  @Test
  void volcano_parentsAreQueues_andRootIsAboveTheOthers() {
    assertThat(queue(QueueDialect.VOLCANO, volcano("child", "{parent: team}")).parent())
        .isEqualTo("volcano/team");
    assertThat(queue(QueueDialect.VOLCANO, volcano("team", "{}")).parent())
        .isEqualTo("volcano/root");
    assertThat(queue(QueueDialect.VOLCANO, volcano("root", "{}")).parent()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Closed", "Closing"})
  void volcano_closedQueueIsClosed(String state) {
    String yaml = volcano("a", "{}") + "status: {state: " + state + "}\n";

    assertThat(queue(QueueDialect.VOLCANO, yaml).open()).isFalse();
  }

  @Test
  void volcano_whatHasNoEquivalentIsReported() {
    assertThat(
            notKept(
                QueueDialect.VOLCANO,
                volcano(
                    "a",
                    "{dequeueStrategy: fifo, extendClusters: [{name: c}], affinity:"
                        + " {nodeGroupAffinity: {}}, capability: {count/pods: 3}}")))
        .contains(
            "spec.dequeueStrategy fifo",
            "spec.extendClusters",
            "spec.affinity",
            "spec.capability.count/pods (it is no resource of nodes)");
    assertThat(
            notKept(
                QueueDialect.VOLCANO,
                """
                apiVersion: scheduling.volcano.sh/v1beta1
                kind: Queue
                metadata:
                  name: root-eng-prod
                  annotations: {volcano.sh/hierarchy: root/eng/prod}
                spec: {weight: 1}
                """))
        .contains("annotation volcano.sh/hierarchy");
  }

  @Test
  void amountThatIsNoQuantity_refusesTheQueue() {
    assertThat(event(QueueDialect.VOLCANO, volcano("a", "{capability: {cpu: many}}")))
        .isInstanceOfSatisfying(
            ClusterEvent.Malformed.class,
            refused -> {
              assertThat(refused.refusal().kind()).isEqualTo("Queue");
              assertThat(refused.refusal().reason()).contains("spec.capability.cpu");
            });
  }

  // ---------------------------------------------------------------------------------- KAI

  /** As in the documentation of queues. */
  @Test
  void kai_quotaIsGuaranteed_inItsUnits() {
    String yaml =
        kai(
            "example-queue",
            """
            {parentQueue: parent-queue, resources: {
              cpu: {quota: 2000, overQuotaWeight: 1, limit: 4000},
              memory: {quota: 4096, overQuotaWeight: 1, limit: 8192},
              gpu: {quota: 2, overQuotaWeight: 1, limit: 4}}}\
            """);

    QueueModel queue = queue(QueueDialect.KAI, yaml);
    assertThat(queue.name()).isEqualTo("kai/example-queue");
    assertThat(queue.parent()).isEqualTo("kai/parent-queue");
    assertThat(queue.guarantee())
        .isEqualTo(ResourceAmounts.of(Map.of("cpu", 2_000L, "memory", 4_096_000_000L, GPU, 2L)));
    assertThat(queue.limit())
        .isEqualTo(ResourceAmounts.of(Map.of("cpu", 4_000L, "memory", 8_192_000_000L, GPU, 4L)));
    assertThat(queue.priority()).as("KAI's default").isEqualTo(100);
    assertThat(notKept(QueueDialect.KAI, yaml)).isEmpty();
  }

  @Test
  void kai_minusOneIsUnlimited_andWhatIsNotGivenIsZero() {
    QueueModel queue =
        queue(
            QueueDialect.KAI,
            kai("burst-queue", "{resources: {cpu: {quota: -1, limit: -1}, gpu: {limit: -1}}}"));

    assertThat(queue.guarantee().amountOf("cpu")).isEqualTo(QueueModel.EVERYTHING);
    assertThat(queue.guarantee().amountOf(GPU)).isZero();
    assertThat(queue.limit()).isEqualTo(ResourceAmounts.of(Map.of("memory", 0L)));
  }

  @Test
  void kai_minimumRunTimeOfReclaims_priority_andWeight() {
    QueueModel queue =
        queue(
            QueueDialect.KAI,
            kai(
                "production",
                """
                {priority: 200, reclaimMinRuntime: 1m30s,
                 resources: {gpu: {overQuotaWeight: 3, limit: -1}}}\
                """));

    assertThat(queue.minRunTime()).isEqualTo(Duration.ofSeconds(90));
    assertThat(queue.priority()).isEqualTo(200);
    assertThat(queue.weight()).isEqualTo(3);
  }

  @Test
  void kai_whatHasNoEquivalentIsReported() {
    assertThat(
            notKept(
                QueueDialect.KAI,
                kai(
                    "production",
                    """
                    {preemptMinRuntime: 20s, resources: {
                      cpu: {overQuotaWeight: 2}, gpu: {quota: 0.5, overQuotaWeight: 1}}}\
                    """)))
        .contains(
            "spec.preemptMinRuntime (within a queue, the minRunTime of the SchedulingPolicy"
                + " counts)",
            "spec.resources.gpu.quota 0.5 (it counts as 0)",
            "spec.resources overQuotaWeight by resource (2 counts for all resources)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{resources: {gpu: {quota: -2}}}",
        "{resources: {cpu: {limit: \"4\"}}}",
        "{reclaimMinRuntime: soon}"
      })
  void kai_wrongValueRefusesTheQueue(String spec) {
    assertThat(event(QueueDialect.KAI, kai("a", spec))).isInstanceOf(ClusterEvent.Malformed.class);
  }

  // ---------------------------------------------------------------------------------- quotas

  /** As in the example of capacity scheduling. */
  @Test
  void schedulerPlugins_quotaIsThatOfItsNamespace() {
    QueueModel queue =
        queue(
            QueueDialect.SCHEDULER_PLUGINS,
            quota(
                "scheduling.x-k8s.io",
                "{name: test, namespace: team}",
                "{max: {cpu: 20, nvidia.com/gpu: 2}, min: {cpu: 10, nvidia.com/gpu: 1}}"));

    assertThat(queue.name()).isEqualTo("scheduler-plugins/team/test");
    assertThat(queue.guarantee()).isEqualTo(amounts("cpu", 10_000, GPU, 1));
    assertThat(queue.limit()).isEqualTo(amounts("cpu", 20_000, GPU, 2));
    assertThat(queue.namespaces()).isEqualTo(Set.of("team"));
  }

  /** As in the proposal of hierarchical quotas. */
  @Test
  void koordinator_quotaHasAParent_namespaces_andTheWeightOfItsCpus() {
    String yaml =
        quota(
            "scheduling.sigs.k8s.io",
            """
            {name: test, namespace: test,
             annotations: {
               quota.scheduling.koordinator.sh/shared-weight: '{"cpu":"4","memory":"8Gi"}',
               quota.scheduling.koordinator.sh/namespaces: '["namespace1","namespace2"]'},
             labels: {
               quota.scheduling.koordinator.sh/is-parent: "false",
               quota.scheduling.koordinator.sh/parent: parent,
               quota.scheduling.koordinator.sh/allow-lent-resource: "true"}}\
            """,
            "{max: {cpu: 20, memory: 40Gi}, min: {cpu: 10, memory: 20Gi}}");

    QueueModel queue = queue(QueueDialect.KOORDINATOR, yaml);
    assertThat(queue.name()).isEqualTo("koordinator/test");
    assertThat(queue.parent()).isEqualTo("koordinator/parent");
    assertThat(queue.guarantee()).isEqualTo(amounts("cpu", 10_000, "memory", 20 * GIBI));
    assertThat(queue.limit()).isEqualTo(amounts("cpu", 20_000, "memory", 40 * GIBI));
    assertThat(queue.namespaces()).isEqualTo(Set.of("test", "namespace1", "namespace2"));
    assertThat(queue.weight()).isEqualTo(4);
    assertThat(notKept(QueueDialect.KOORDINATOR, yaml))
        .isEqualTo(
            "Berth does not keep annotation quota.scheduling.koordinator.sh/shared-weight by"
                + " resource (that of cpu, 4, counts for all resources)");
  }

  @Test
  void koordinator_withoutAWeight_theMaximumIsTheWeight_andRootIsAboveTheOthers() {
    QueueModel queue =
        queue(
            QueueDialect.KOORDINATOR,
            quota("scheduling.sigs.k8s.io", "{name: a, namespace: quotas}", "{max: {cpu: 20}}"));

    assertThat(queue.weight()).isEqualTo(20);
    assertThat(queue.parent()).isEqualTo("koordinator/koordinator-root-quota");
    assertThat(queue.namespaces()).isEmpty();
  }

  /** Koordinator gives its own quotas the largest amounts that it can add up. */
  @Test
  void koordinator_hugeAmountsAreEverything() {
    QueueModel queue =
        queue(
            QueueDialect.KOORDINATOR,
            quota(
                "scheduling.sigs.k8s.io",
                "{name: koordinator-default-quota, namespace: koordinator-system}",
                "{max: {cpu: \"1844674407370955161\"}, min: {cpu: \"1844674407370955161\"}}"));

    assertThat(queue.guarantee().amountOf("cpu")).isEqualTo(QueueModel.EVERYTHING);
    assertThat(queue.weight()).isPositive();
  }

  @Test
  void koordinator_whatHasNoEquivalentIsReported() {
    assertThat(
            notKept(
                QueueDialect.KOORDINATOR,
                quota(
                    "scheduling.sigs.k8s.io",
                    """
                    {name: a, namespace: quotas, labels: {
                      quota.scheduling.koordinator.sh/allow-lent-resource: "false",
                      quota.scheduling.koordinator.sh/tree-id: "pool"}}\
                    """,
                    "{}")))
        .contains(
            "allow-lent-resource: false (others borrow spec.min while it is not used)",
            "tree-id: pool (all quotas share all nodes of the cluster)");
  }

  // ---------------------------------------------------------------------------------- pods

  @Test
  void podsNameQueues_byTheLabelsAndAnnotationsOfEachProject() {
    assertThat(
            QueueReading.of(
                new ObjectMetaBuilder()
                    .addToAnnotations("scheduling.volcano.sh/queue-name", "queue1")
                    .addToAnnotations("volcano.sh/queue-name", "queue2")
                    .addToLabels("kai.scheduler/queue", "research")
                    .addToLabels("quota.scheduling.koordinator.sh/name", "quota")
                    .build()))
        .containsExactly(
            new QueueRef(QueueDialect.VOLCANO, "queue1"),
            new QueueRef(QueueDialect.VOLCANO, "queue2"),
            new QueueRef(QueueDialect.KAI, "research"),
            new QueueRef(QueueDialect.KOORDINATOR, "quota"));
    assertThat(QueueReading.of(new ObjectMetaBuilder().build())).isEmpty();
  }

  @Test
  void pendingPodOfKaiThatRequestsAPartOfAGpu_isRefused_andOneOnANodeCounts() {
    for (String annotation : List.of("gpu-fraction", "gpu-memory")) {
      ObjectMeta pod =
          new ObjectMetaBuilder()
              .addToAnnotations(annotation, "0.5")
              .addToLabels("kai.scheduler/queue", "research")
              .build();
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> QueueReading.of(pod))
          .withMessageStartingWith(
              "annotation " + annotation + " requests a part of a GPU from KAI, which Berth does");
      assertThat(QueueReading.named(pod))
          .containsExactly(new QueueRef(QueueDialect.KAI, "research"));
    }
    assertThat(QueueReading.of(new ObjectMetaBuilder().addToAnnotations("gpu-memory", "4").build()))
        .isEmpty();
  }
}
