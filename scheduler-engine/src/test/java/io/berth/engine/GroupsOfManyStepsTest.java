package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.HostPort;
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Each step of an attempt for a large group gets further than the one before it. */
class GroupsOfManyStepsTest {
  /** Needs more than two steps of 512 members. */
  private static final int MEMBERS = 1_100;

  /** More than twice the outcomes that any of these attempts takes. */
  private static final int MOST_OUTCOMES = 3_000;

  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final List<String> nominated = new ArrayList<>();
  private final Map<String, String> messageOf = new TreeMap<>();

  private void node(String name, long milliCpu) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name)
                .milliCpu(milliCpu)
                .memoryBytes(1L << 40)
                .allocatable("pods", 10_000)
                .build()));
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static Pods member(int i, int needed) {
    return Pods.pod("worker-" + i).memberOf(GroupModel.of(TRAIN, needed));
  }

  private static NodeSelection only(String node) {
    Requirement name = new Requirement("metadata.name", LabelOperator.IN, List.of(node));
    NodeTerm term = new NodeTerm(List.of(), List.of(name), false);
    return new NodeSelection(Map.of(), Optional.of(List.of(term)), List.of());
  }

  private void decide() {
    cluster.decideAll(
        MOST_OUTCOMES,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> nodeOf.put(placed.pod().name(), placed.nodeName());
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision.Nominated waits -> nominated.add(waits.pod().name());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  @Test
  void podThatWaitsForItsVictim_doesNotDelayTheGroup() {
    HostPort port = new HostPort("0.0.0.0", "TCP", 80);
    node("n1", 20_000);
    comes(Pods.pod("victim").port(port).on("n1"));
    comes(Pods.pod("nominated").port(port).priority(100));
    decide();

    for (int i = 0; i < MEMBERS; i++) {
      comes(member(i, MEMBERS).milliCpu(10));
    }
    decide();

    assertThat(nominated).containsExactly("nominated");
    assertThat(nodeOf).hasSize(MEMBERS);
  }

  @Test
  void membersThatNameTheirNodes_arePlacedThere() {
    for (int i = 0; i < MEMBERS; i++) {
      node("n" + i, 1_000);
      comes(member(i, MEMBERS).milliCpu(1_000).nodes(only("n" + i)));
    }

    decide();

    for (int i = 0; i < MEMBERS; i++) {
      assertThat(nodeOf).containsEntry("worker-" + i, "n" + i);
    }
  }

  @Test
  void membersThatNameFullNodes_endTheAttempt() {
    for (int i = 0; i < MEMBERS; i++) {
      node("n" + i, 1_000);
      comes(Pods.pod("other-" + i).milliCpu(i < 10 ? 0 : 500).on("n" + i));
      comes(member(i, MEMBERS).milliCpu(1_000).nodes(only("n" + i)));
    }

    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-0")).contains("1100 of its pods have to be placed together");
  }

  @Test
  void membersThatAllDiffer_andFitOneByOneButNotTogether_areRejected() {
    node("n1", 120_000);

    for (int i = 0; i < MEMBERS; i++) {
      comes(member(i, MEMBERS / 2).milliCpu(1_000 + i));
    }
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf).hasSize(MEMBERS);
    assertThat(messageOf.get("worker-0")).contains("there is room for");
  }
}
