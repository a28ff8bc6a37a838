package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GroupState;
import io.berth.engine.api.Idle;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.GroupTopology;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods of a group are placed together or not at all. */
class GroupsTest {
  private static final String RACK = "topology.kubernetes.io/rack";
  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  /** The last decision about each pod: its node, or a message. */
  private final Map<String, String> nodeOf = new TreeMap<>();

  private final Map<String, String> messageOf = new TreeMap<>();
  private final List<String> givenBack = new ArrayList<>();

  private void node(String name, long milliCpu) {
    nodeIn("", name, milliCpu);
  }

  private void nodeIn(String rack, String name, long milliCpu) {
    Nodes node = Nodes.node(name).milliCpu(milliCpu).memoryBytes(64L << 30);
    NodeModel model = (rack.isEmpty() ? node : node.label(RACK, rack)).build();
    cluster.apply(new ClusterEvent.NodeUpserted(model));
  }

  private static Pods member(String name, GroupModel group, long milliCpu) {
    return Pods.pod(name).milliCpu(milliCpu).memberOf(group);
  }

  private void comes(Pods... pods) {
    for (Pods pod : pods) {
      cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
    }
  }

  private void comes(int count, String name, GroupModel group, long milliCpu) {
    for (int i = 0; i < count; i++) {
      comes(member(name + i, group, milliCpu));
    }
  }

  /** Takes all current decisions. */
  private void decide() {
    cluster.decideAll(
        100_000,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> {
              nodeOf.put(placed.pod().name(), placed.nodeName());
              messageOf.remove(placed.pod().name());
            }
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision.GivenBack back -> givenBack.add(back.pod().name());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  private void decideAfter(Duration time) {
    cluster.later(time);
    decide();
  }

  private void confirm(String... names) {
    for (String name : names) {
      cluster.apply(new ClusterEvent.BindingConfirmed(ref(name)));
    }
  }

  private static PodRef ref(String name) {
    return new PodRef("default", name, "uid-" + name);
  }

  @Test
  void groupWhoseMinimumExists_isPlacedAtOnce() {
    node("n1", 2_000);
    node("n2", 2_000);

    comes(4, "worker-", GroupModel.of(TRAIN, 4), 1_000);
    decide();

    assertThat(nodeOf.values()).containsExactlyInAnyOrder("n1", "n1", "n2", "n2");
  }

  @Test
  void groupThatLacksPods_waits_andItsPodsSaySo() {
    node("n1", 8_000);

    comes(3, "worker-", GroupModel.of(TRAIN, 4), 1_000);
    decide();
    assertThat(messageOf).isEmpty();

    decideAfter(Duration.ofSeconds(3));

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-0"))
        .isEqualTo(
            "group default/train waits for 1 more pod: 3 of at least 4 exist (pods: 3 exist, 0"
                + " placed, 4 missing)");

    comes(member("worker-3", GroupModel.of(TRAIN, 4), 1_000));
    decide();

    assertThat(nodeOf).hasSize(4);
  }

  @Test
  void stateOfAGroup_saysWhatIsThere_whatIsMissing_andWhatKeepsItBack() {
    node("n1", 3_000);
    comes(3, "worker-", GroupModel.of(TRAIN, 4), 1_000);
    decide();
    assertThat(cluster.engine.takeChangedGroups())
        .containsExactly(
            new GroupState(
                TRAIN,
                Optional.of(GroupModel.of(TRAIN, 4)),
                3,
                0,
                0,
                4,
                GroupState.Phase.INCOMPLETE,
                "group default/train waits for 1 more pod: 3 of at least 4 exist",
                new GroupState.Pods(3, true, true, false, false)));

    comes(member("worker-3", GroupModel.of(TRAIN, 4), 1_000));
    decide();
    GroupState waiting = cluster.engine.takeChangedGroups().getFirst();
    assertThat(waiting.phase()).isEqualTo(GroupState.Phase.WAITING);
    assertThat(waiting.message()).contains("the nodes have room for 3");

    node("n2", 1_000);
    decideAfter(Duration.ofSeconds(2));
    GroupState placed = cluster.engine.takeChangedGroups().getFirst();
    assertThat(placed.phase()).isEqualTo(GroupState.Phase.PLACED);
    assertThat(placed.placed()).isEqualTo(4);
    assertThat(placed.missing()).isZero();
    assertThat(placed.message()).isEmpty();
    assertThat(cluster.engine.takeChangedGroups()).isEmpty();
  }

  @Test
  void groupThatDoesNotFit_holdsNothing_andOthersUseTheRoom() {
    node("n1", 3_000);

    comes(4, "worker-", GroupModel.of(TRAIN, 4), 1_000);
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-3"))
        .isEqualTo(
            "group default/train cannot be placed: 4 of its pods have to be placed together, and"
                + " the nodes have room for 3. They do not fit on empty nodes either: together they"
                + " request at least 4 of cpu, and the only node that they may use has 3 (pods: 4"
                + " exist, 0 placed, 4 missing)");

    comes(Pods.pod("other").milliCpu(3_000));
    decide();

    assertThat(nodeOf).containsExactly(Map.entry("other", "n1"));
  }

  @Test
  void groupThatWaits_isPlacedWhenThereIsRoom() {
    node("n1", 3_000);
    comes(4, "worker-", GroupModel.of(TRAIN, 4), 1_000);
    decide();

    node("n2", 1_000);
    decideAfter(Duration.ofSeconds(2));

    assertThat(nodeOf).hasSize(4);
  }

  @Test
  void podsBeyondTheMinimum_areOrdinary() {
    node("n1", 3_000);

    comes(5, "worker-", GroupModel.of(TRAIN, 3), 1_000);
    decide();

    assertThat(nodeOf).hasSize(3);
    assertThat(messageOf).hasSize(2);
    assertThat(messageOf.values()).allMatch(text -> text.contains("1 Insufficient cpu"));

    node("n2", 1_000);
    decideAfter(Duration.ofSeconds(2));

    assertThat(nodeOf).hasSize(4);
  }

  @Test
  void roles_haveMinimumsOfTheirOwn() {
    GroupModel group = GroupModel.of(TRAIN, 3).withRoles(Map.of("driver", 1));
    node("n1", 4_000);

    comes(3, "executor-", group, 1_000);
    decideAfter(Duration.ofSeconds(3));
    assertThat(nodeOf).isEmpty();

    comes(
        member("driver", group, 1_000)
            .memberOf(new GroupMembership(TRAIN, "driver", Optional.of(group))));
    decideAfter(Duration.ofSeconds(3));

    assertThat(nodeOf).containsKey("driver").hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void membersWithFewNodes_arePlacedFirst() {
    // The small pods would take the only node on which the large one fits.
    node("n1", 4_000);
    node("n2", 1_000);
    node("n3", 1_000);
    GroupModel group = GroupModel.of(TRAIN, 3);

    comes(
        member("small-0", group, 1_000),
        member("small-1", group, 1_000),
        member("large", group, 4_000));
    decide();

    assertThat(nodeOf)
        .containsExactly(
            Map.entry("large", "n1"), Map.entry("small-0", "n2"), Map.entry("small-1", "n3"));
  }

  @Test
  void membersThatNeedOthers_arePlacedInTheOtherOrder() {
    // The worker has more nodes to choose from, and the launcher has affinity to a worker.
    node("n1", 4_000);
    node("n2", 4_000);
    GroupModel group = GroupModel.of(TRAIN, 2);
    AffinityTerm nearWorker =
        new AffinityTerm(
            Set.of("default"),
            LabelSelector.nothing(),
            LabelSelector.ofPairs(Map.of("part", "worker")),
            "kubernetes.io/hostname");
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n1").label("kubernetes.io/hostname", "n1").milliCpu(4_000).build()));

    comes(
        member("launcher", group, 3_900)
            .affinity(new PodAffinity(List.of(nearWorker), List.of(), List.of(), List.of())),
        member("worker", group, 100).label("part", "worker"));
    decide();

    assertThat(nodeOf).containsOnlyKeys("launcher", "worker");
    assertThat(Set.copyOf(nodeOf.values())).hasSize(1);
  }

  @Test
  void largeGroup_takesSeveralSteps_andIsPlacedAsAWhole() {
    for (int i = 0; i < 50; i++) {
      node("n" + i, 40_000);
    }
    comes(2_000, "worker-", GroupModel.of(TRAIN, 2_000), 1_000);

    Outcome first = cluster.next();
    assertThat(first).isEqualTo(new Idle(Due.AT_ONCE));
    comes(Pods.pod("urgent").milliCpu(0));
    assertThat(cluster.placed().pod().name()).isEqualTo("urgent");
    decide();

    assertThat(nodeOf).hasSize(2_000);
  }

  @Test
  void largeGroupThatLacksOneNode_leavesNoTrace() {
    for (int i = 0; i < 50; i++) {
      node("n" + i, 39_000);
    }
    for (int i = 0; i < 50; i++) {
      comes(Pods.pod("filler-" + i).milliCpu(0).on("n" + i));
    }
    comes(2_000, "worker-", GroupModel.of(TRAIN, 2_000), 1_000);
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(cluster.engine.state().journal().size()).isZero();
  }

  @Test
  void bindingThatFailsForAWhile_isTriedAgain() {
    node("n1", 4_000);
    comes(2, "worker-", GroupModel.of(TRAIN, 2), 1_000);
    decide();
    confirm("worker-0");

    cluster.apply(new ClusterEvent.BindingFailed(ref("worker-1"), "conflict", true));
    nodeOf.remove("worker-1");
    decideAfter(Duration.ofSeconds(2));

    assertThat(nodeOf).containsKey("worker-1");
    assertThat(givenBack).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void bindingThatFailsAgainAndAgain_isTriedAfterALongerPauseEachTime(int boundBefore) {
    node("n1", 4_000);
    GroupModel group = GroupModel.of(TRAIN, 2);
    comes(2, "worker-", group, 1_000);
    decide();
    if (boundBefore > 0) {
      confirm("worker-0");
      cluster.apply(
          new ClusterEvent.PodUpserted(member("worker-0", group, 1_000).on("n1").build()));
    }

    for (int seconds = 1; seconds <= 8; seconds *= 2) {
      for (int worker = boundBefore; worker < 2; worker++) {
        cluster.apply(new ClusterEvent.BindingFailed(ref("worker-" + worker), "refused", true));
        nodeOf.remove("worker-" + worker);
      }
      decideAfter(Duration.ofMillis(seconds * 1_000L - 100));
      assertThat(nodeOf).as("%d s after the failure", seconds).doesNotContainKey("worker-1");
      decideAfter(Duration.ofMillis(200));
      assertThat(nodeOf).as("%d s after the failure", seconds).containsKey("worker-1");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void bindingsOfAllMembersThatFailAtOnce_areTriedAfterAPause(int minimum) {
    node("n1", 4_000);
    comes(4, "worker-", GroupModel.of(TRAIN, minimum), 1_000);
    decide();

    for (int round = 0; round < 3; round++) {
      for (int worker = 0; worker < 4; worker++) {
        cluster.apply(new ClusterEvent.BindingFailed(ref("worker-" + worker), "refused", true));
        nodeOf.remove("worker-" + worker);
      }
      decideAfter(Duration.ofMillis(900));
      assertThat(nodeOf).as("in round %d", round).isEmpty();
      decideAfter(Duration.ofSeconds(10));
      assertThat(nodeOf).as("after round %d", round).hasSize(4);
    }
  }

  @Test
  void aMemberThatWasPlacedWithItsGroup_isTriedAgain_evenIfTheOthersReachTheMinimum() {
    node("n1", 4_000);
    comes(4, "worker-", GroupModel.of(TRAIN, 3), 1_000);
    decide();

    cluster.apply(new ClusterEvent.BindingFailed(ref("worker-0"), "refused", true));
    nodeOf.remove("worker-0");
    decideAfter(Duration.ofMillis(900));
    assertThat(nodeOf).doesNotContainKey("worker-0");
    decideAfter(Duration.ofMillis(200));

    assertThat(nodeOf).containsKey("worker-0");
  }

  /**
   * The unit of the group was in flight until the last Binding, and came back only if one failed.
   */
  @Test
  void aGroupThatLosesAPlacedMemberWhileItsBindingsAreInProgress_placesAnother() {
    node("n1", 3_000);
    comes(4, "worker-", GroupModel.of(TRAIN, 3), 1_000);
    decide();
    assertThat(nodeOf).hasSize(3);
    String gone = nodeOf.keySet().iterator().next();

    cluster.apply(new ClusterEvent.PodRemoved(ref(gone)));
    nodeOf.remove(gone);
    confirm(nodeOf.keySet().toArray(String[]::new));
    decideAfter(Duration.ofSeconds(11));

    assertThat(nodeOf).hasSize(3).doesNotContainKey(gone);
  }

  @Test
  void bindingThatFailsForGood_makesTheOthersGiveTheirNodesBack() {
    node("n1", 4_000);
    GroupModel group = GroupModel.of(TRAIN, 3).disruptedBy(GroupDisruption.GROUP);
    comes(3, "worker-", group, 1_000);
    decide();
    PodModel bound = member("worker-0", group, 1_000).on("n1").build();
    cluster.apply(new ClusterEvent.PodUpserted(bound));

    cluster.apply(new ClusterEvent.BindingFailed(ref("worker-1"), "gone", false));
    decide();

    assertThat(givenBack).containsExactlyInAnyOrder("worker-0", "worker-2");
  }

  @Test
  void bindingThatFailsForGood_leavesBoundPodsAlone_whereTheyMayBeDisruptedOneByOne() {
    node("n1", 4_000);
    GroupModel group = GroupModel.of(TRAIN, 3).disruptedBy(GroupDisruption.POD);
    comes(3, "worker-", group, 1_000);
    decide();
    cluster.apply(new ClusterEvent.PodUpserted(member("worker-0", group, 1_000).on("n1").build()));

    cluster.apply(new ClusterEvent.BindingFailed(ref("worker-1"), "gone", false));
    decide();

    assertThat(givenBack).containsExactly("worker-2");
  }

  @Test
  void bindingThatFails_changesNothingForTheOthers_whileTheMinimumHolds() {
    node("n1", 4_000);
    GroupModel group = GroupModel.of(TRAIN, 2).disruptedBy(GroupDisruption.GROUP);
    comes(3, "worker-", group, 1_000);
    decide();

    cluster.apply(new ClusterEvent.BindingFailed(ref("worker-2"), "gone", false));
    decide();

    assertThat(givenBack).isEmpty();
  }

  @Test
  void groupThatWasInterruptedByARestart_isCompleted() {
    GroupModel group = GroupModel.of(TRAIN, 3);
    node("n1", 4_000);
    comes(member("worker-0", group, 1_000).on("n1"));
    comes(member("worker-1", group, 1_000), member("worker-2", group, 1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-1", "worker-2");
  }

  @Test
  void groupThatCannotBeCompletedAfterARestart_givesBackWhatItHolds() {
    GroupModel group = GroupModel.of(TRAIN, 3).disruptedBy(GroupDisruption.GROUP);
    node("n1", 2_000);
    comes(member("worker-0", group, 1_000).on("n1"));
    comes(member("worker-1", group, 1_000), member("worker-2", group, 1_000));
    decide();
    assertThat(givenBack).isEmpty();

    decideAfter(GroupModel.DEFAULT_TIMEOUT.plusSeconds(1));

    assertThat(givenBack).containsExactly("worker-0");
  }

  @Test
  void membersThatHaveSucceeded_countAsPlaced() {
    GroupModel group = GroupModel.of(TRAIN, 3);
    node("n1", 4_000);
    comes(member("worker-0", group, 1_000).on("n1").succeeded());
    comes(member("worker-1", group, 1_000).on("n1"));

    comes(member("worker-2", group, 1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-2");
  }

  @Test
  void podThatNamesAGroupWithoutDescription_waitsForIt() {
    GroupRef volcano = new GroupRef(GroupDialect.VOLCANO, "default", "job");
    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
    node("n1", 4_000);
    comes(Pods.pod("worker").milliCpu(1_000).memberOf(volcano));
    decideAfter(Duration.ofSeconds(3));
    decideAfter(Duration.ofSeconds(3));
    assertThat(messageOf.get("worker")).isEqualTo("PodGroup default/job does not exist");

    cluster.apply(new ClusterEvent.PodGroupUpserted(GroupModel.of(volcano, 1)));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker");
  }

  @Test
  void podOfADialectThatIsNotServed_isOrdinary_untilItIs() {
    GroupRef volcano = new GroupRef(GroupDialect.VOLCANO, "default", "job");
    comes(Pods.pod("early").milliCpu(1_000).memberOf(volcano));
    comes(Pods.pod("late").milliCpu(8_000).memberOf(volcano));
    node("n1", 4_000);
    decide();
    assertThat(nodeOf).containsOnlyKeys("early");

    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
    cluster.apply(new ClusterEvent.PodGroupUpserted(GroupModel.of(volcano, 3)));
    decideAfter(Duration.ofSeconds(3));

    assertThat(messageOf.get("late"))
        .isEqualTo(
            "PodGroup default/job waits for 1 more pod: 2 of at least 3 exist (pods: 2 exist, 1"
                + " placed, 2 missing)");
  }

  @Test
  void memberOfTwoLives_countsOnce() {
    GroupModel group = GroupModel.of(TRAIN, 2);
    node("n1", 4_000);
    comes(member("worker-0", group, 1_000));
    cluster.apply(new ClusterEvent.PodRemoved(ref("worker-0")));
    comes(member("worker-1", group, 1_000));
    decideAfter(Duration.ofSeconds(3));

    assertThat(nodeOf).isEmpty();
    assertThat(cluster.engine.pending().queue().placeOf(TRAIN.key())).isEqualTo(QueuePlace.GATED);
  }

  @Test
  void requiredTopology_putsAllMembersIntoOneDomain() {
    nodeIn("a", "a1", 3_000);
    nodeIn("a", "a2", 3_000);
    nodeIn("b", "b1", 2_000);
    nodeIn("b", "b2", 2_000);
    nodeIn("c", "c1", 3_000);

    // Racks a and b have room; less would remain free in b.
    comes(4, "worker-", GroupModel.of(TRAIN, 4).within(new GroupTopology(RACK, true)), 1_000);
    decide();

    assertThat(new HashSet<>(nodeOf.values())).containsExactlyInAnyOrder("b1", "b2");
  }

  @Test
  void requiredTopologyWithoutRoom_saysSo() {
    nodeIn("a", "a1", 3_000);
    nodeIn("b", "b1", 3_000);

    comes(4, "worker-", GroupModel.of(TRAIN, 4).within(new GroupTopology(RACK, true)), 1_000);
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-0"))
        .isEqualTo(
            "group default/train cannot be placed: no value of topology.kubernetes.io/rack has"
                + " nodes with room for 4 of its pods together. They do not fit on empty nodes"
                + " either: together they request at least 4 of cpu, and of the values of"
                + " topology.kubernetes.io/rack, a has the most: 3, on the only node that they may"
                + " use (pods: 4 exist, 0 placed, 4 missing)");
  }

  @Test
  void boundMembers_pinTheRequiredDomain() {
    nodeIn("a", "a1", 1_000);
    nodeIn("b", "b1", 8_000);
    GroupModel group = GroupModel.of(TRAIN, 3).within(new GroupTopology(RACK, true));
    comes(member("worker-0", group, 1_000).on("b1"));

    comes(member("worker-1", group, 1_000), member("worker-2", group, 1_000));
    decide();

    assertThat(new HashSet<>(nodeOf.values())).containsExactly("b1");
  }

  @Test
  void preferredTopology_usesTheFewestDomains() {
    nodeIn("a", "a1", 2_000);
    nodeIn("b", "b1", 3_000);
    nodeIn("c", "c1", 1_000);
    nodeIn("d", "d1", 1_000);

    comes(5, "worker-", GroupModel.of(TRAIN, 5).within(new GroupTopology(RACK, false)), 1_000);
    decide();

    assertThat(nodeOf).hasSize(5);
    assertThat(new HashSet<>(nodeOf.values())).containsExactlyInAnyOrder("a1", "b1");
  }
}
