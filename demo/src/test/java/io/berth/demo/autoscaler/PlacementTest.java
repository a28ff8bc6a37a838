package io.berth.demo.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.ReadyNodes;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Autoscalers simulate each pod of a group by itself: they know no groups of any kind. */
class PlacementTest {
  private static final Node NODE =
      new NodeBuilder()
          .withNewMetadata()
          .withName("n1")
          .endMetadata()
          .withNewSpec()
          .endSpec()
          .withStatus(
              ReadyNodes.status(
                  Map.of(
                      "cpu", new Quantity("4"),
                      "memory", new Quantity("16Gi"),
                      "pods", new Quantity("110"))))
          .build();

  private static PodBuilder pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("member")
        .withUid("uid-member")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("main")
        .withImage("main")
        .withNewResources()
        .addToRequests("cpu", new Quantity("1"))
        .endResources()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus();
  }

  private static Pod labelled(String key, String value) {
    return pod().editMetadata().addToLabels(key, value).endMetadata().build();
  }

  private static Pod annotated(Map<String, String> annotations) {
    return pod().editMetadata().withAnnotations(annotations).endMetadata().build();
  }

  private static Stream<Pod> membersOfGroups() {
    return Stream.of(
        annotated(
            Map.of("sched.cloud.ctrip.com/group", "train", "sched.cloud.ctrip.com/group-min", "2")),
        pod()
            .editSpec()
            .addToAdditionalProperties("schedulingGroup", Map.of("podGroupName", "train"))
            .endSpec()
            .build(),
        labelled("scheduling.x-k8s.io/pod-group", "train"),
        labelled("pod-group.scheduling.sigs.k8s.io/name", "train"),
        annotated(
            Map.of(
                "gang.scheduling.koordinator.sh/name", "train",
                "gang.scheduling.koordinator.sh/min-available", "2")),
        annotated(Map.of("scheduling.k8s.io/group-name", "train")));
  }

  @ParameterizedTest
  @MethodSource("membersOfGroups")
  void memberOfAnIncompleteGroup_isPlacedLikeAnyPod(Pod member) {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      Placement placement = new Placement(client);

      assertThat(placement.placedOf(List.of(NODE), List.of(), List.of(member)))
          .containsExactly(Map.entry("default/member", "n1"));
    }
  }
}
