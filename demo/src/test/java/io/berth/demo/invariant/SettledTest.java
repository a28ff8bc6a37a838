package io.berth.demo.invariant;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Statuses that contradict the objects. */
class SettledTest {
  private final ObjectNode node = KubeObjects.create("Node", "", "n");
  private final ObjectNode pod = KubeObjects.create("Pod", "team", "p");

  SettledTest() {
    pod.withObject("/spec").put("schedulerName", "berth");
  }

  private void condition(String status) {
    ObjectNode condition = JsonNodeFactory.instance.objectNode();
    KubeObjects.setCondition(pod, condition.put("type", "PodScheduled").put("status", status));
  }

  private List<String> violations() {
    return Settled.violations(List.of(node, pod), "berth");
  }

  @Test
  void aPodThatWaits_needsACondition() {
    assertThat(violations()).containsExactly("pod team/p waits without a condition that says why");

    condition("False");
    assertThat(violations()).isEmpty();
  }

  @Test
  void aPodOnANode_mustNotBeCalledUnscheduled() {
    pod.withObject("/spec").put("nodeName", "n");
    assertThat(violations()).isEmpty();

    condition("False");
    assertThat(violations())
        .containsExactly("pod team/p is bound, and its condition says that it is not");
  }

  @Test
  void aNomination_mustNameANodeThatExists() {
    condition("False");
    pod.withObject("/status").put("nominatedNodeName", "n");
    assertThat(violations()).isEmpty();

    pod.withObject("/status").put("nominatedNodeName", "gone");
    assertThat(violations())
        .containsExactly("pod team/p is nominated to gone, which does not exist");
  }

  @Test
  void podsThatEnd_andThoseOfOthers_areNotJudged() {
    pod.withObject("/metadata").put("deletionTimestamp", "2026-01-01T00:00:00Z");
    assertThat(violations()).isEmpty();

    pod.withObject("/metadata").remove("deletionTimestamp");
    pod.withObject("/spec").put("schedulerName", "another");
    assertThat(violations()).isEmpty();
  }
}
