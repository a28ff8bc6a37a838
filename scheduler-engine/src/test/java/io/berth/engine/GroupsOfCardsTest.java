package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.CardChoice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.CardAssignment;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Groups of pods that request GPU cards. */
class GroupsOfCardsTest {
  private static final String RACK = "topology.kubernetes.io/rack";
  private static final String COUNTED = "nvidia.com/gpu";
  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");

  private final GpuCluster gpus = new GpuCluster(CardChoice.LEAST_FRAGMENTATION);
  private final Map<String, Decision.Placed> placed = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();

  private void node(String rack, String name) {
    gpus.put(GpuCluster.node(name, GpuCluster.cards(8, "H100")).label(RACK, rack).build());
  }

  private void uses(String name, String nodeName) {
    gpus.put(
        GpuCluster.share(name, 10)
            .on(nodeName)
            .givenCards(Optional.of(new CardAssignment(Map.of("main", List.of("1")))))
            .build());
  }

  private void comes(int pods, GroupModel group, Function<String, Pods> pod) {
    for (int i = 0; i < pods; i++) {
      gpus.put(pod.apply("worker-" + i).memberOf(group).build());
    }
    decide();
  }

  private void decide() {
    gpus.cluster.decideAll(
        1_000,
        decided -> {
          switch (decided) {
            case Decision.Placed decision -> placed.put(decision.pod().name(), decision);
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  private Set<String> nodes() {
    Set<String> nodes = new TreeSet<>();
    placed.values().forEach(decision -> nodes.add(decision.nodeName()));
    return nodes;
  }

  @Test
  void fourPodsOfEightCards_landOnFourWholeNodesOfOneRack() {
    for (int i = 0; i < 4; i++) {
      node("a", "a" + i);
      node("b", "b" + i);
    }
    node("b", "b4");
    for (int i = 0; i < 8; i++) {
      node("c", "c" + i);
    }
    uses("share-a", "a1");
    uses("share-b", "b2");

    comes(
        4,
        GroupModel.of(TRAIN, 4).within(new GroupTopology(RACK, true)),
        name -> GpuCluster.whole(name, 8));

    assertThat(nodes()).containsExactly("b0", "b1", "b3", "b4");
    assertThat(placed.values())
        .allSatisfy(
            decision ->
                assertThat(decision.assignment(CardAssignment.class).orElseThrow().toJson())
                    .isEqualTo("{\"main\":[0,1,2,3,4,5,6,7]}"));
  }

  @Test
  void groupForWhichThereAreTooFewWholeNodes_isRefusedBeforeAnyIsPlaced() {
    for (int i = 0; i < 4; i++) {
      node("a", "a" + i);
    }
    uses("share", "a3");

    comes(4, GroupModel.of(TRAIN, 4), name -> GpuCluster.whole(name, 8));

    assertThat(placed).isEmpty();
    assertThat(messageOf.get("worker-0"))
        .isEqualTo(
            "group default/train cannot be placed: 4 of its pods have to be placed together, and"
                + " the nodes have room for 3 (pods: 4 exist, 0 placed, 4 missing)");
  }

  @Test
  void groupThatWaitsForCards_isPlacedWhenTheyAreFree() {
    for (int i = 0; i < 4; i++) {
      node("a", "a" + i);
    }
    uses("share", "a3");
    comes(4, GroupModel.of(TRAIN, 4), name -> GpuCluster.whole(name, 8));

    gpus.cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", "share", "uid-share")));
    gpus.cluster.later(Duration.ofSeconds(2));
    decide();

    assertThat(nodes()).containsExactly("a0", "a1", "a2", "a3");
  }

  @Test
  void sharesOfCards_areCountedCardByCard() {
    gpus.put(GpuCluster.node("n", GpuCluster.cards(2, "T4")).build());

    comes(4, GroupModel.of(TRAIN, 4), name -> GpuCluster.share(name, 400));
    assertThat(placed).hasSize(4);

    GroupModel more = GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", "more"), 2);
    gpus.put(GpuCluster.share("more-0", 200).memberOf(more).build());
    gpus.put(GpuCluster.share("more-1", 300).memberOf(more).build());
    decide();
    assertThat(messageOf.keySet()).containsExactly("more-0", "more-1");
  }

  @Test
  void cardsThatAreOnlyCounted_takePartInTheChoiceOfTheRack() {
    for (String rack : new String[] {"a", "b"}) {
      for (int i = 0; i < (rack.equals("a") ? 3 : 4); i++) {
        gpus.put(
            Nodes.node(rack + i)
                .label(RACK, rack)
                .milliCpu(64_000)
                .allocatable(COUNTED, 8)
                .build());
      }
    }

    comes(
        4,
        GroupModel.of(TRAIN, 4).within(new GroupTopology(RACK, true)),
        name -> Pods.pod(name).milliCpu(100).asks(COUNTED, 8));

    assertThat(nodes()).containsExactlyInAnyOrder("b0", "b1", "b2", "b3");
  }
}
