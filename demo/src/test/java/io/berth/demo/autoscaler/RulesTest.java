package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The pods for which autoscalers may buy nodes. */
class RulesTest {
  private static final Instant CREATED = Instant.parse("2026-01-01T12:00:00Z");
  private static final Instant NOW = CREATED.plusSeconds(30);

  private static Pod pod(String reason) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("pod")
        .withCreationTimestamp(CREATED.toString())
        .endMetadata()
        .withNewSpec()
        .endSpec()
        .withNewStatus()
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason(reason)
        .endCondition()
        .endStatus()
        .build();
  }

  private static Pod annotated(String key, String value) {
    return new PodBuilder(pod("Unschedulable"))
        .editMetadata()
        .withAnnotations(Map.of(key, value))
        .endMetadata()
        .build();
  }

  private static Pod ownedBy(String kind) {
    return new PodBuilder(pod("Unschedulable"))
        .editMetadata()
        .addNewOwnerReference()
        .withKind(kind)
        .endOwnerReference()
        .endMetadata()
        .build();
  }

  private static Pod withPriority(int priority) {
    return new PodBuilder(pod("Unschedulable")).editSpec().withPriority(priority).endSpec().build();
  }

  @Test
  void onlyUnschedulablePodsWithoutANomination_wantANode() {
    Pod nominated =
        new PodBuilder(pod("Unschedulable"))
            .editStatus()
            .withNominatedNodeName("n1")
            .endStatus()
            .build();

    for (Rules rules : Rules.values()) {
      assertThat(rules.wantsNode(pod("Unschedulable"), NOW)).isTrue();
      assertThat(rules.wantsNode(pod("HeldByQueue"), NOW)).isFalse();
      assertThat(rules.wantsNode(nominated, NOW)).isFalse();
    }
  }

  @Test
  void podsOfNodesAndDaemonSets_wantNone() {
    for (Rules rules : Rules.values()) {
      assertThat(rules.wantsNode(ownedBy("DaemonSet"), NOW)).isFalse();
      assertThat(rules.wantsNode(ownedBy("ReplicaSet"), NOW)).isTrue();
    }
    assertThat(Rules.KARPENTER.wantsNode(ownedBy("Node"), NOW)).isFalse();
  }

  @Test
  void clusterAutoscaler_waitsForPodsWithADelay_andIgnoresExpendableOnes() {
    String delay = "cluster-autoscaler.kubernetes.io/pod-scale-up-delay";

    assertThat(Rules.CLUSTER.wantsNode(annotated(delay, "60s"), NOW)).isFalse();
    assertThat(Rules.CLUSTER.wantsNode(annotated(delay, "30s"), NOW)).isTrue();
    assertThat(Rules.KARPENTER.wantsNode(annotated(delay, "60s"), NOW)).isTrue();
    assertThat(Rules.CLUSTER.wantsNode(withPriority(-11), NOW)).isFalse();
    assertThat(Rules.CLUSTER.wantsNode(withPriority(-10), NOW)).isTrue();
    assertThat(Rules.KARPENTER.wantsNode(withPriority(-11), NOW)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "1m, false",
    "0.5m, true",
    "20s10s, true",
    "1m30s, false",
    ".5h, false",
    "500ms, true",
    "0, true",
    "-1h, true"
  })
  void delayOfAPod_isADurationAsInGo(String delay, boolean isOver) {
    Pod pod = annotated("cluster-autoscaler.kubernetes.io/pod-scale-up-delay", delay);

    assertThat(Rules.CLUSTER.wantsNode(pod, NOW)).isEqualTo(isOver);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "m", "five minutes", "99999999999h", "1m 30s"})
  void delayThatIsNoDuration_isIgnored(String delay) {
    Pod pod = annotated("cluster-autoscaler.kubernetes.io/pod-scale-up-delay", delay);

    assertThat(Rules.CLUSTER.wantsNode(pod, NOW)).isTrue();
  }

  @Test
  void podsThatUseBookedCapacity_wantNoNodeOfTheClusterAutoscaler() {
    assertThat(Rules.CLUSTER.wantsNode(annotated(CapacityRequests.CONSUMES, "request"), NOW))
        .isFalse();
  }
}
