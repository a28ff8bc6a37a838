package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.Annotations;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.NodeSelection;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages of groups whose pods fit on empty nodes one by one, but not together. */
class GroupsTooLargeTogetherTest {
  private static final String RACK = "example.com/rack";
  private static final String CARDS = "nvidia.com/gpu";
  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");

  private final TestCluster cluster = new TestCluster();
  private final Map<String, Decision.Unschedulable> waiting = new TreeMap<>();
  private int nodes;

  private static GroupModel ofSize(int minimum) {
    return GroupModel.of(TRAIN, minimum);
  }

  private static GroupModel inOneRack(int minimum) {
    return ofSize(minimum).within(new GroupTopology(RACK, true));
  }

  private void nodesIn(String rack, int count, long cards) {
    for (int i = 0; i < count; i++) {
      cluster.apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node("n" + nodes++)
                  .label(RACK, rack)
                  .milliCpu(4_000)
                  .allocatable(CARDS, cards)
                  .build()));
    }
  }

  private static Pods member(int number, GroupModel group, long cards) {
    Pods pod = Pods.pod("worker-" + number).milliCpu(100).memberOf(group);
    return cards == 0 ? pod : pod.asks(CARDS, cards);
  }

  private void comes(int count, GroupModel group, long cards) {
    come(IntStream.range(0, count).mapToObj(i -> member(i, group, cards)).toArray(Pods[]::new));
  }

  private void come(Pods... pods) {
    for (Pods pod : pods) {
      cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
    }
    cluster.later(Duration.ofSeconds(3));
    cluster.decideAll(
        1_000,
        decided -> {
          if (decided instanceof Decision.Unschedulable waits) {
            waiting.put(waits.pod().name(), waits);
          }
        });
  }

  private String message() {
    assertThat(waiting.values())
        .extracting(Decision.Unschedulable::cause)
        .containsOnly(WaitCause.NO_ROOM);
    assertThat(waiting.values()).extracting(Decision.Unschedulable::message).hasSizeGreaterThan(1);
    return waiting.get("worker-0").message();
  }

  @Test
  void groupThatRequestsMoreThanAllNodesHave_saysHowMuch_onAllMembers() {
    nodesIn("r1", 4, 8);

    comes(5, ofSize(5), 8);

    assertThat(message())
        .contains(
            ". They do not fit on empty nodes either: together they request at least 40 of"
                + " nvidia.com/gpu, and the 4 nodes that they may use have 32 (pods: 5 exist")
        .isEqualTo(waiting.get("worker-4").message());
  }

  @Test
  void groupThatRequestsMoreThanAnyRackHas_namesTheLargestRack() {
    nodesIn("r1", 2, 8);
    nodesIn("r2", 4, 8);
    nodesIn("r3", 3, 8);

    comes(5, inOneRack(5), 8);

    assertThat(message())
        .contains(
            "together they request at least 40 of nvidia.com/gpu, and of the values of"
                + " example.com/rack, r2 has the most: 32, on 4 nodes that they may use (pods:");
  }

  @Test
  void groupThatFitsIntoARackOnceItIsEmpty_saysNothingOfThat() {
    nodesIn("r1", 5, 8);
    nodesIn("r2", 4, 8);
    come(Pods.pod("running").milliCpu(100).asks(CARDS, 8).on("n0"));

    comes(5, inOneRack(5), 8);

    assertThat(message()).doesNotContain("empty nodes");
  }

  @Test
  void groupThatOnlyPrefersARack_isComparedWithAllNodes() {
    nodesIn("r1", 2, 8);
    nodesIn("r2", 2, 8);
    come(Pods.pod("running").milliCpu(100).asks(CARDS, 8).on("n0"));
    comes(4, ofSize(4).within(new GroupTopology(RACK, false)), 8);

    assertThat(message()).doesNotContain("empty nodes");
  }

  @Test
  void onlyNodesThatThePodsMayUse_areCounted() {
    nodesIn("r1", 1, 8);
    nodesIn("r2", 9, 8);
    NodeSelection r1 = new NodeSelection(Map.of(RACK, "r1"), Optional.empty(), List.of());

    come(member(0, ofSize(2), 8).nodes(r1), member(1, ofSize(2), 8).nodes(r1));

    assertThat(message())
        .contains("at least 16 of nvidia.com/gpu, and the only node that they may use has 8");
  }

  @Test
  void nodesOfAllKindsOfMembers_areCounted() {
    nodesIn("r1", 1, 8);
    nodesIn("r2", 1, 8);
    NodeSelection r1 = new NodeSelection(Map.of(RACK, "r1"), Optional.empty(), List.of());
    NodeSelection r2 = new NodeSelection(Map.of(RACK, "r2"), Optional.empty(), List.of());
    come(Pods.pod("running").milliCpu(100).asks(CARDS, 8).on("n0"));

    come(member(0, ofSize(2), 8).nodes(r1), member(1, ofSize(2), 8).nodes(r2));

    assertThat(message()).doesNotContain("empty nodes");
  }

  @Test
  void largeMembersThatTheGroupCanDoWithout_areNotCounted() {
    nodesIn("r1", 2, 8);
    come(
        Pods.pod("running").milliCpu(100).asks(CARDS, 8).on("n0"),
        Pods.pod("other").milliCpu(100).asks(CARDS, 8).on("n1"));

    come(member(0, ofSize(2), 1), member(1, ofSize(2), 1), member(2, ofSize(2), 8));

    assertThat(message()).doesNotContain("empty nodes");
  }

  @Test
  void smallestMembers_makeTheLowerBound() {
    nodesIn("r1", 2, 8);

    come(
        member(0, ofSize(3), 6),
        member(1, ofSize(3), 6),
        member(2, ofSize(3), 6),
        member(3, ofSize(3), 8));

    assertThat(message())
        .contains("at least 18 of nvidia.com/gpu, and the 2 nodes")
        .contains("have 16");
  }

  @Test
  void numberOfPodsThatNodesTake_isAResourceToo() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("small").label(RACK, "r1").milliCpu(4_000).allocatable("pods", 2).build()));

    comes(3, ofSize(3), 0);

    assertThat(message()).contains("at least 3 of pods, and the only node that they may use has 2");
  }

  @Test
  void messageEnds_whenANodeIsAdded() {
    nodesIn("r1", 4, 8);
    comes(6, ofSize(6), 8);
    assertThat(message()).contains("have 32");

    nodesIn("r1", 1, 8);
    come();

    assertThat(message())
        .contains("at least 48 of nvidia.com/gpu, and the 5 nodes")
        .contains("have 40");
  }

  /** The running pod is in the way, not the size of the nodes. */
  @Test
  void nodeWhoseDeviceIsInUse_isCounted() {
    nodesIn("r1", 2, 0);
    put(DeviceClass.class, "{'metadata':{'name':'gpu'},'spec':{}}");
    for (String node : List.of("n0", "n1")) {
      put(
          ResourceSlice.class,
          ("{'metadata':{'name':'%1$s'},'spec':{'driver':'d','nodeName':'%1$s','pool':{'name':'%1$s',"
               + "'generation':1,'resourceSliceCount':1},'devices':[{'name':'gpu'}]}}")
              .formatted(node));
    }
    put(
        ResourceClaim.class,
        "{'metadata':{'name':'used','namespace':'team','uid':'u'},'spec':{'devices':{'requests':"
            + "[{'name':'g','exactly':{'deviceClassName':'gpu'}}]}},'status':{'allocation':{'devices':"
            + "{'results':[{'request':'g','driver':'d','pool':'n1','device':'gpu'}]}},"
            + "'reservedFor':[{'resource':'pods','name':'x','uid':'x'}]}}");
    for (int i = 0; i < 2; i++) {
      put(
          ResourceClaim.class,
          "{'metadata':{'name':'c%1$d','namespace':'team','uid':'c%1$d'},'spec':{'devices':{'requests':"
                  .formatted(i)
              + "[{'name':'g','exactly':{'deviceClassName':'gpu'}}]}}}");
      cluster.upsert(
          new PodBuilder(TestCluster.withClaim(TestCluster.pod("w" + i, "3", 0), "c" + i))
              .editMetadata()
              .addToAnnotations(Annotations.GROUP, "train")
              .addToAnnotations(Annotations.GROUP_MIN, "2")
              .endMetadata()
              .build());
    }
    come();

    assertThat(waiting.keySet()).containsExactly("w0", "w1");
    assertThat(waiting.values())
        .allSatisfy(waits -> assertThat(waits.message()).doesNotContain("empty nodes"));
  }

  private <T extends HasMetadata> void put(Class<T> type, String json) {
    assertThat(cluster.upsert(Serialization.unmarshal(json.replace('\'', '"'), type))).isEmpty();
  }
}
