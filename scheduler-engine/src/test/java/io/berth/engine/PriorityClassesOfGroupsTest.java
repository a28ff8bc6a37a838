package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A group has the priority of the PriorityClass that it names. */
class PriorityClassesOfGroupsTest {
  private final TestCluster cluster = new TestCluster();
  private final List<String> placed = new ArrayList<>();
  private final Map<String, String> messageOf = new TreeMap<>();

  @BeforeEach
  void served() {
    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
  }

  private void node(long milliCpu) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n" + milliCpu).milliCpu(milliCpu).memoryBytes(8L << 30).build()));
  }

  private static PriorityClass priorityClass(String name, int value) {
    return new PriorityClassBuilder()
        .withNewMetadata()
        .withName(name)
        .endMetadata()
        .withValue(value)
        .build();
  }

  private static GroupRef ref(String name) {
    return new GroupRef(GroupDialect.VOLCANO, "default", name);
  }

  /** Creates a group of one pod with priority 50. */
  private void group(String name, String priorityClass) {
    cluster.apply(
        new ClusterEvent.PodGroupUpserted(GroupModel.of(ref(name), 1).inClass(priorityClass)));
    cluster.apply(
        new ClusterEvent.PodUpserted(
            Pods.pod(name).milliCpu(1_000).priority(50).memberOf(ref(name)).build()));
  }

  private void decide() {
    cluster.later(Duration.ofSeconds(5));
    cluster.decideAll(
        1_000,
        decided -> {
          switch (decided) {
            case Decision.Placed decision -> placed.add(decision.pod().name());
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  @Test
  void groupOfTheHigherClass_comesFirst() {
    cluster.upsert(priorityClass("low", 10));
    cluster.upsert(priorityClass("high", 1_000));
    node(8_000);
    group("a-low", "low");
    group("b-none", "");
    group("c-high", "high");
    decide();

    assertThat(placed).containsExactly("c-high", "b-none", "a-low");
  }

  @Test
  void classThatComesLater_changesTheOrder() {
    node(8_000);
    group("a-none", "");
    group("b-high", "high");
    cluster.upsert(priorityClass("high", 1_000));
    decide();

    assertThat(placed).containsExactly("b-high", "a-none");
  }

  @Test
  void classThatIsGone_countsNoMore() {
    cluster.upsert(priorityClass("high", 1_000));
    node(8_000);
    group("a-none", "");
    group("b-high", "high");
    cluster.remove(priorityClass("high", 1_000));
    decide();

    assertThat(placed).containsExactly("a-none", "b-high");
  }

  @Test
  void unknownClass_isSaidInTheMessage_untilItComes() {
    node(500);
    group("train", "hihg");
    decide();

    assertThat(messageOf.get("train"))
        .isEqualTo(
            "PodGroup default/train cannot be placed: 1 of its pods have to be placed together, and"
                + " the nodes have room for 0; not for train: 0/1 nodes are available: 1"
                + " Insufficient cpu. train does not fit on an empty node either: it requests 1 of"
                + " cpu, and the only node that it may use has 0.5. Its PriorityClass \"hihg\" does"
                + " not exist, so it has the priority of its most important pod (pods: 1 exist, 0"
                + " placed, 1 missing)");

    cluster.upsert(priorityClass("hihg", 5));
    decide();

    assertThat(messageOf.get("train")).doesNotContain("PriorityClass");
  }
}
