package io.berth.operator.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.kube.KubeEvents;
import io.berth.engine.model.QueueDialect;
import io.berth.operator.api.LimitedLog;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The reports about queues of other projects, and the paths at which these are found. */
class OtherQueuesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final List<String> log = new ArrayList<>();
  private final List<Runnable> planned = new ArrayList<>();
  private final List<ClusterEvent> events = new ArrayList<>();
  private final KindCache<GenericKubernetesResource, GenericKubernetesResource> cache =
      new OtherQueues(
              QueueDialect.VOLCANO,
              new KubeEvents(),
              new LimitedLog(nanos::get),
              log::add,
              planned::add)
          .cache();

  private static GenericKubernetesResource queue(String name, String version, String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: scheduling.volcano.sh/v1beta1
        kind: Queue
        metadata: {name: %s, uid: u-%s, resourceVersion: "%s"}
        spec: %s
        """
            .formatted(name, name, version, spec),
        GenericKubernetesResource.class);
  }

  private void later() {
    nanos.addAndGet(120_000_000_000L);
  }

  @Test
  void whatIsNotKept_isLoggedOnce_untilItChanges() {
    cache.subscribe(events::add);
    cache.put(queue("train", "1", "{dequeueStrategy: fifo}"));
    later();
    cache.put(queue("train", "2", "{dequeueStrategy: fifo, weight: 2}"));
    cache.replay(event -> {});

    assertThat(log)
        .containsExactly(
            "Queue volcano/train is in effect, but Berth does not keep spec.dequeueStrategy fifo"
                + " (pods that fit pass those that wait)");
    assertThat(events)
        .allSatisfy(
            event ->
                assertThat(((ClusterEvent.QueueUpserted) event).partly())
                    .as("the queue is not refused")
                    .isEmpty());

    cache.put(queue("train", "3", "{affinity: {nodeGroupAffinity: {}}}"));
    assertThat(log).hasSize(2);
    assertThat(log.getLast()).contains("spec.affinity (the pods may go to all nodes)");
  }

  @Test
  void manyQueuesWithFieldsThatAreNotKept_doNotFloodTheLog() {
    for (int i = 0; i < 1_000; i++) {
      cache.put(queue("q" + i, "1", "{dequeueStrategy: fifo}"));
    }

    assertThat(log).hasSize(1);
  }

  @Test
  void whatTheLimitKeepsBack_isSummedUpLater() {
    cache.subscribe(events::add);
    for (int i = 0; i < 200; i++) {
      cache.put(queue("q" + i, "1", "{dequeueStrategy: fifo}"));
    }
    cache.remove(queue("q7", "1", "{}"));

    assertThat(planned).hasSize(1);
    planned.removeFirst().run(); // too early: the limit still holds
    assertThat(log).hasSize(1);
    later();
    planned.removeFirst().run();

    assertThat(log).hasSize(2);
    assertThat(log.getLast())
        .startsWith("Queue volcano/q1 is in effect, but Berth does not keep spec.dequeueStrategy")
        .contains("There are 197 more queues of which Berth does not keep all fields: volcano/q2");
    assertThat(planned).isEmpty();
  }

  @Test
  void queueThatIsDeleted_andMadeAgain_isReportedAgain() {
    cache.put(queue("train", "1", "{dequeueStrategy: fifo}"));
    cache.subscribe(events::add);
    cache.remove(queue("train", "1", "{}"));
    later();
    cache.put(queue("train", "2", "{dequeueStrategy: fifo}"));

    assertThat(log).hasSize(2);
    assertThat(events).contains(new ClusterEvent.QueueRemoved("volcano/train"));
  }

  @Test
  void pathOfOneKind_doesNotHoldAnotherOfTheSameGroup() {
    var path = KindPath.everywhere("scheduling.volcano.sh", "v1beta1", "queues", "queues.volcano");
    GenericKubernetesResource group = queue("train", "1", "{}");
    group.setKind("PodGroup");

    assertThat(path.holds(queue("train", "1", "{}"))).isTrue();
    assertThat(path.holds(group)).isFalse();
  }
}
