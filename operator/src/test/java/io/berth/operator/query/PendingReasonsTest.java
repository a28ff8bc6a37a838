package io.berth.operator.query;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.engine.kube.KubeEvents;
import io.berth.operator.feed.FedPod;
import io.berth.operator.feed.FedPods;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Pending pods by the reason for which they wait. */
class PendingReasonsTest {
  private static final String NOT_ENOUGH_CPU =
      "0/9 nodes are available: 2 node(s) had untolerated taint {dedicated: db}, 7 Insufficient"
          + " cpu. preemption: 0/9 nodes are available: 9 No preemption victims found for incoming"
          + " pod.";

  private final List<FedPod> pods = new ArrayList<>();
  private final PendingReasons reasons =
      new PendingReasons(
          pods::stream, Set.of("berth"), () -> Instant.parse("2026-01-01T01:00:00Z"));

  private static PodBuilder pod(String namespace, String name, int minute) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace(namespace)
        .withName(name)
        .withUid(name)
        .withCreationTimestamp("2026-01-01T00:%02d:00Z".formatted(minute))
        .endMetadata()
        .withNewSpec()
        .withSchedulerName("berth")
        .addNewContainer()
        .withName("main")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  private static PodBuilder waiting(
      String namespace, String name, int minute, String reason, String message) {
    return pod(namespace, name, minute)
        .editStatus()
        .addNewCondition()
        .withType("PodScheduled")
        .withStatus("False")
        .withReason(reason)
        .withMessage(message)
        .endCondition()
        .endStatus();
  }

  private void add(PodBuilder builder) {
    Pod pod = builder.build();
    pods.add(FedPods.of(pod, new KubeEvents().upserted(pod)));
  }

  private ObjectNode only() {
    assertThat(reasons.objects()).hasSize(1);
    return reasons.objects().getFirst();
  }

  @Test
  void podsThatFitNowhere_areGroupedByTheReasonOfTheMostNodes() {
    add(waiting("a", "p1", 5, "Unschedulable", NOT_ENOUGH_CPU));
    add(waiting("a", "p2", 3, "Unschedulable", NOT_ENOUGH_CPU));
    add(waiting("b", "p3", 9, "Unschedulable", "0/1 nodes are available: 1 Insufficient cpu."));

    ObjectNode group = only();

    assertThat(group.at("/metadata/name").asText()).isEqualTo("insufficient-cpu");
    assertThat(group.at("/status/code").asText()).isEqualTo("Unschedulable");
    assertThat(group.at("/status/reason").asText()).isEqualTo("Insufficient cpu");
    assertThat(group.at("/status/pods").asInt()).isEqualTo(3);
    assertThat(group.at("/status/namespaces").asInt()).isEqualTo(2);
    assertThat(group.at("/status/oldest").asText()).isEqualTo("2026-01-01T00:03:00Z");
  }

  @Test
  void otherReasons_areThoseOfTheCondition_theMostPodsFirst() {
    add(waiting("a", "p1", 1, "GroupIncomplete", "2 of 3"));
    add(waiting("a", "p2", 1, "PolicyNotFound", "SchedulingPolicy \"x\" does not exist"));
    add(waiting("a", "p3", 1, "PolicyNotFound", "SchedulingPolicy \"y\" does not exist"));
    add(pod("a", "p4", 1));
    add(pod("a", "p5", 1).editSpec().addNewSchedulingGate("example.com/wait").endSpec());

    assertThat(reasons.objects().getFirst().at("/status/code").asText())
        .isEqualTo("PolicyNotFound");
    assertThat(reasons.objects())
        .extracting(reason -> reason.at("/status/code").asText())
        .containsExactlyInAnyOrder(
            "PolicyNotFound", "GroupIncomplete", "NotTried", "SchedulingGated");
  }

  @Test
  void reasons_nameNoObjects() {
    add(
        waiting(
            "a",
            "p1",
            1,
            "Unschedulable",
            "0/3 nodes are available: 3 persistentvolumeclaim \"secret\" not found."));
    add(waiting("a", "p2", 1, "PolicyNotFound", "SchedulingPolicy \"secret\" does not exist"));

    assertThat(reasons.objects().toString()).doesNotContain("secret");
  }

  @Test
  void boundPods_andPodsOfOtherSchedulers_doNotWait() {
    add(pod("a", "bound", 1).editSpec().withNodeName("n1").endSpec());
    add(pod("a", "foreign", 1).editSpec().withSchedulerName("other").endSpec());
    add(pod("a", "ended", 1).editStatus().withPhase("Failed").endStatus());
    add(
        pod("a", "leaving", 1)
            .editMetadata()
            .withDeletionTimestamp("2026-01-01T00:30:00Z")
            .endMetadata());

    assertThat(reasons.objects()).isEmpty();
  }
}
