package io.berth.demo.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.demo.tenants.KubeObjects;
import io.berth.demo.tenants.ObjectKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The check that no Binding exceeds the limit of a queue. */
class QueueLimitsTest {
  private final VirtualTime time = new VirtualTime(1, () -> {});
  private final ApiStore store = new ApiStore(time::instant);
  private final List<String> violations = new ArrayList<>();
  private final QueueLimits limits = new QueueLimits(time, store, violations::add);

  @BeforeEach
  void limitTwoTeams() {
    queue("whole", "3", "", "");
    queue("a", "2", "team-a", "whole");
    queue("b", "2", "team-b", "whole");
    time.advance(Duration.ofMinutes(2));
  }

  private void queue(String name, String cpus, String namespace, String parent) {
    ObjectNode queue = KubeObjects.create("SchedulingQueue", "", name);
    queue.put("apiVersion", "sched.cloud.ctrip.com/v1");
    ObjectNode spec = JsonNodeFactory.instance.objectNode();
    spec.putObject("limit").put("cpu", cpus);
    if (!namespace.isEmpty()) {
      spec.putObject("namespaces").putArray("names").add(namespace);
    }
    if (!parent.isEmpty()) {
      spec.put("parent", parent);
    }
    store.write(queue, spec);
  }

  private ObjectNode bind(String namespace, String name, String cpu) {
    ObjectNode pod = KubeObjects.create("Pod", namespace, name);
    ObjectNode container =
        pod.withObject("/spec").putArray("containers").addObject().put("name", "main");
    container.withObject("/resources/requests").put("cpu", cpu);
    pod.withObject("/spec").put("nodeName", "n");
    pod.withObject("/status").put("phase", "Running");
    store.put(pod);
    return pod;
  }

  @Test
  void bindingThatExceedsALimit_isFound() {
    bind("team-a", "first", "1500m");
    bind("team-a", "second", "500m");
    assertThat(violations).isEmpty();

    bind("team-a", "third", "100m");
    assertThat(violations)
        .containsExactly(
            "with pod team-a/third, queue a uses 2100m CPU, more than its limit of 2000m");
  }

  @Test
  void limitOfTheQueueAbove_holdsForAllParts() {
    bind("team-a", "first", "2");
    bind("team-b", "second", "1100m");

    assertThat(violations).singleElement().asString().contains("queue whole uses 3100m CPU");
    assertThat(limits.judged()).isEqualTo(4);
  }

  @Test
  void podsOfOtherNamespaces_andFinishedOnes_doNotCount() {
    ObjectNode first = bind("team-a", "first", "2");
    first.withObject("/status").put("phase", "Succeeded");
    store.put(first);
    bind("team-c", "other", "8");
    bind("team-a", "second", "2");

    assertThat(violations).isEmpty();
  }

  @Test
  void changeOfAStatus_doesNotStopTheCheck() {
    store.change(
        new ObjectKey("SchedulingQueue", "", "a"),
        queue -> queue.withObject("/status").put("pendingPods", 1));
    bind("team-a", "first", "3");

    assertThat(violations).singleElement().asString().contains("queue a uses 3000m CPU");
  }

  @Test
  void nothingIsJudged_soonAfterAChangeOfQueues() {
    queue("a", "1", "team-a", "whole");
    bind("team-a", "first", "2");
    assertThat(violations).isEmpty();

    time.advance(Duration.ofMinutes(2));
    bind("team-a", "second", "100m");
    assertThat(violations).hasSize(1);
  }
}
