package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.state.Importance;
import io.berth.engine.state.LeastImportantPods;
import io.berth.engine.state.NodeTable;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;
import io.berth.engine.state.ResourceNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bounds of evictions are those of the pods that are on the node now. */
class LeastImportantPodsTest {
  private final TestCluster cluster = new TestCluster();
  private final Random random = new Random(5);
  private final List<PodModel> pods = new ArrayList<>();

  private PodModel pod(String name, String node) {
    return Pods.pod(name)
        .milliCpu(100L * (1 + random.nextInt(9)))
        .memoryBytes(1L << random.nextInt(20, 30))
        .priority(random.nextInt(3) * 10)
        .startedAt(started())
        .on(node)
        .build();
  }

  private Optional<Instant> started() {
    return random.nextInt(4) == 0
        ? Optional.empty()
        : Optional.of(cluster.now().plusSeconds(random.nextInt(100)));
  }

  private void change(int step) {
    int kind = pods.isEmpty() ? 0 : random.nextInt(4);
    if (kind < 2) {
      PodModel pod = pod("pod-" + step, "n" + random.nextInt(3));
      pods.add(pod);
      cluster.apply(new ClusterEvent.PodUpserted(pod));
    } else if (kind == 2) {
      int one = random.nextInt(pods.size());
      PodModel pod = Pods.from(pods.get(one)).startedAt(started()).build();
      pods.set(one, pod);
      cluster.apply(new ClusterEvent.PodUpserted(pod));
    } else {
      PodModel pod = pods.remove(random.nextInt(pods.size()));
      cluster.apply(new ClusterEvent.PodRemoved(pod.ref()));
    }
  }

  @Test
  void boundsFollowThePodsOfTheNode() {
    for (int node = 0; node < 3; node++) {
      cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node("n" + node).milliCpu(9_000).build()));
    }
    NodeTable nodes = cluster.engine.state().nodes();
    for (int step = 0; step < 2_000; step++) {
      change(step);
      int slot = random.nextInt(3);
      assertBounds(nodes, slot);
      assertFewest(nodes, slot, 1 + random.nextInt(8_000), 10 * (1 + random.nextInt(3)));
    }
  }

  @Test
  void podsInOrder_areThoseOfTheNode_theLeastImportantFirst() {
    for (int node = 0; node < 3; node++) {
      cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node("n" + node).milliCpu(9_000).build()));
    }
    NodeTable nodes = cluster.engine.state().nodes();
    for (int step = 0; step < 2_000; step++) {
      change(step);
      assertOrder(nodes, random.nextInt(3));
    }
  }

  private static void assertOrder(NodeTable nodes, int slot) {
    List<PodEntry> expected = new ArrayList<>();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      expected.add(nodes.pod(slot, i));
    }
    expected.sort(Importance.SPARED_FIRST.reversed());
    PodColumns pods = nodes.leastImportant().inOrder(slot);
    assertThat(pods.size()).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      PodEntry pod = expected.get(i);
      ResourceAmounts held = pod.model().spec().requests().held();
      assertThat(pods.pod(i)).isSameAs(pod);
      assertThat(pods.priority(i)).isEqualTo(pod.priority());
      assertThat(pods.startNanos(i)).isEqualTo(pod.startNanos());
      assertThat(pods.held(ResourceNames.CPU, i)).isEqualTo(held.amountOf("cpu"));
      assertThat(pods.held(ResourceNames.MEMORY, i)).isEqualTo(held.amountOf("memory"));
      assertThat(pods.held(ResourceNames.EPHEMERAL_STORAGE, i)).isZero();
    }
    assertThat(pods.below(10))
        .isEqualTo(expected.stream().filter(pod -> pod.priority() < 10).count());
  }

  private static void assertBounds(NodeTable nodes, int slot) {
    int priority = Integer.MAX_VALUE;
    long start = Long.MIN_VALUE;
    for (int i = 0; i < nodes.podCount(slot); i++) {
      priority = Math.min(priority, nodes.pod(slot, i).priority());
    }
    for (int i = 0; i < nodes.podCount(slot); i++) {
      if (nodes.pod(slot, i).priority() == priority) {
        start = Math.max(start, nodes.pod(slot, i).startNanos());
      }
    }
    LeastImportantPods bounds = nodes.leastImportant();
    assertThat(bounds.priority(slot)).isEqualTo(priority);
    assertThat(bounds.fewestThatHold(99, 1, 10, slot)).isEqualTo(1);
    if (nodes.podCount(slot) > 0) {
      assertThat(bounds.latestStart(slot)).isEqualTo(start);
    }
  }

  private static void assertFewest(NodeTable nodes, int slot, long milliCpu, int below) {
    List<Integer> priorities = new ArrayList<>();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      priorities.add(nodes.pod(slot, i).priority());
    }
    List<Integer> distinct = priorities.stream().distinct().sorted().toList();
    boolean onlyLowest = distinct.size() < 2 || distinct.get(1) >= below;
    List<Long> held = new ArrayList<>();
    for (int i = 0; i < nodes.podCount(slot); i++) {
      if (!onlyLowest || nodes.pod(slot, i).priority() == distinct.getFirst()) {
        held.add(nodes.pod(slot, i).model().spec().requests().held().amountOf("cpu"));
      }
    }
    held.sort(Comparator.reverseOrder());
    long left = milliCpu;
    int fewest = 0;
    while (fewest < held.size() && left > 0) {
      left -= held.get(fewest++);
    }
    long bound = nodes.leastImportant().fewestThatHold(ResourceNames.CPU, milliCpu, below, slot);
    if (left > 0) {
      assertThat(bound).isGreaterThan(Math.min(fewest, 3));
    } else if (fewest <= 4) {
      assertThat(bound).isEqualTo(fewest);
    } else {
      assertThat(bound).isBetween(5L, (long) fewest);
    }
  }
}
