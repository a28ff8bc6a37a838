package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Preemption by a single pod, which takes the groups of its victims into account. */
class GroupsAsVictimsTest {
  private static final int LOW = 0;
  private static final int HIGH = 100;
  private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");
  private static final String HOSTNAME = "kubernetes.io/hostname";

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  private void node(String name, long milliCpu) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name).label(HOSTNAME, name).milliCpu(milliCpu).build()));
  }

  private static GroupModel group(String name, int min) {
    return GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", name), min);
  }

  private static GroupModel rigid(int min) {
    return group("rigid", min).disruptedBy(GroupDisruption.GROUP);
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static Pods running(String name, String nodeName) {
    return Pods.pod(name)
        .milliCpu(1_000)
        .priority(LOW)
        .startedAt(Optional.of(LONG_AGO))
        .on(nodeName);
  }

  private static Pods preemptor(String name) {
    return Pods.pod(name).milliCpu(1_000).priority(HIGH);
  }

  private static List<String> names(Decision.Nominated nominated) {
    return nominated.victims().stream().map(PodRef::name).sorted().toList();
  }

  @Test
  void groupThatIsDisruptedAsAWhole_goesAsAWhole_alsoFromOtherNodes() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").memberOf(rigid));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).containsExactly("rigid-0", "rigid-1");
  }

  @Test
  void ordinaryPod_isEvicted_ratherThanTwoOfAGroup() {
    node("n1", 1_000);
    node("n2", 1_000);
    node("n3", 1_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").memberOf(rigid));
    comes(running("single", "n3"));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).containsExactly("single");
  }

  @Test
  void groupWithAMemberThatMayNotBeEvicted_losesAnotherAlone() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").priority(HIGH).memberOf(rigid));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).containsExactly("rigid-0");
  }

  @Test
  void groupWhoseMemberMayBeEvictedByNow_goesAsAWhole_thoughNothingChangedOnTheNodeOfTheOthers() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").priority(HIGH).memberOf(rigid));
    comes(preemptor("first"));
    assertThat(names(cluster.nominated())).containsExactly("rigid-0");
    cluster.apply(new ClusterEvent.PodRemoved(preemptor("first").build().ref()));

    comes(running("rigid-1", "n2").memberOf(rigid));
    comes(preemptor("second"));

    assertThat(names(cluster.nominated())).containsExactly("rigid-0", "rigid-1");
  }

  @Test
  void podAboveItsGroupsMinimum_goesFirst() {
    node("n1", 4_000);
    GroupModel elastic = group("elastic", 2);
    for (int i = 0; i < 3; i++) {
      comes(running("elastic-" + i, "n1").memberOf(elastic));
    }
    comes(running("single", "n1").startedAt(Optional.of(LONG_AGO.plusSeconds(3_600))));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).hasSize(1).allMatch(name -> name.startsWith("elastic-"));
  }

  @Test
  void podThatItsGroupCanDoWithout_goes_ratherThanOneThatItNeeds() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel exact = group("exact", 1);
    GroupModel elastic = group("elastic", 1);
    node("n3", 1_000);
    comes(
        running("exact-0", "n1").startedAt(Optional.of(LONG_AGO.plusSeconds(60))).memberOf(exact));
    comes(running("elastic-0", "n2").memberOf(elastic));
    comes(running("elastic-1", "n3").memberOf(elastic));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).hasSize(1).allMatch(name -> name.startsWith("elastic-"));
  }

  @Test
  void membersOfLowerPriority_goBeforeSurplusOfHigherPriority() {
    node("n1", 3_000);
    GroupModel elastic = group("elastic", 1);
    comes(running("elastic-0", "n1").priority(LOW + 1).memberOf(elastic));
    comes(running("elastic-1", "n1").priority(LOW + 1).memberOf(elastic));
    comes(running("single", "n1"));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).containsExactly("single");
  }

  @Test
  void budgetsOfMembersOnOtherNodes_count() {
    node("n1", 1_000);
    node("n2", 1_000);
    node("n3", 1_000);
    GroupModel rigid = rigid(2);
    cluster.apply(
        new ClusterEvent.BudgetUpserted(
            new DisruptionBudget(
                "default", "keep", LabelSelector.ofPairs(Map.of("app", "rigid")), 0, Set.of())));
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").label("app", "rigid").memberOf(rigid));
    comes(running("single", "n3").priority(LOW + 1));

    comes(preemptor("urgent"));

    assertThat(names(cluster.nominated())).containsExactly("single");
  }

  @Test
  void podThatWantsToBeNearAVictim_doesNotEvictIt() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n2").label("app", "cache").memberOf(rigid));
    AffinityTerm nearCache =
        new AffinityTerm(
            Set.of("default"),
            LabelSelector.nothing(),
            LabelSelector.ofPairs(Map.of("app", "cache")),
            "everywhere");
    for (String name : List.of("n1", "n2")) {
      cluster.apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node(name).label("everywhere", "yes").milliCpu(1_000).build()));
    }

    comes(
        preemptor("urgent")
            .affinity(new PodAffinity(List.of(nearCache), List.of(), List.of(), List.of())));

    assertThat(cluster.decision()).isInstanceOf(Decision.Unschedulable.class);
  }

  @Test
  void memberOfAMetGroup_doesNotEvictItsOwnGroup() {
    node("n1", 2_000);
    GroupModel rigid = rigid(2);
    comes(running("rigid-0", "n1").memberOf(rigid));
    comes(running("rigid-1", "n1").memberOf(rigid));

    comes(preemptor("rigid-2").memberOf(rigid));

    assertThat(cluster.decision()).isInstanceOf(Decision.Unschedulable.class);
  }
}
