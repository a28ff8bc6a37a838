package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.Rejection;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.Consultation;
import io.berth.engine.model.Controller;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.RunTime;
import io.berth.engine.model.TaintEffect;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages for the pods of waiting groups, and the end of their wait. */
class GroupReasonsTest {
  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");
  private static final Optional<Controller> JOB =
      Optional.of(new Controller("batch/v1", "Job", "train"));

  private TestCluster cluster = newCluster();
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();
  private final Map<String, DecisionRecord> recordOf = new TreeMap<>();
  private final List<String> givenBack = new ArrayList<>();

  private static TestCluster newCluster() {
    return new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  }

  private void node(String name, long milliCpu) {
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node(name).milliCpu(milliCpu).build()));
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private void comes(int count, String name, GroupModel group) {
    for (int i = 0; i < count; i++) {
      comes(Pods.pod(name + i).milliCpu(1_000).memberOf(group));
    }
  }

  private void decide() {
    cluster.decideAll(
        10_000,
        decided -> {
          recordOf.put(decided.pod().name(), decided.record());
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

  @ParameterizedTest
  @EnumSource(Consultation.Topic.class)
  void groupWhosePolicyAsksAnExtender_waits_andIsPlacedOnceItDoesNot(Consultation.Topic topic) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())
                .withConsultation(Advisor.in(topic))));
    node("n1", 4_000);
    comes(2, "worker-", GroupModel.of(TRAIN, 2));
    decide();

    assertThat(messageOf.get("worker-0"))
        .contains(
            "asks advisor for advice, which is not possible for pods that are placed together");

    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(TestCluster.POLICY, SchedulingPolicySpec.defaults())));
    decideAfter(Duration.ofSeconds(1));

    assertThat(nodeOf).containsOnlyKeys("worker-0", "worker-1");
  }

  private static Pods ofJob(String name, int min, Instant createdAt) {
    return Pods.pod(name)
        .milliCpu(1_000)
        .controller(JOB.orElseThrow())
        .createdAt(createdAt)
        .memberOf(new GroupMembership(TRAIN, "", Optional.of(GroupModel.of(TRAIN, min)), true));
  }

  @Test
  void workloadThatWasScaledDown_needsOnlyItsNewSize() {
    node("n1", 10_000);
    Instant start = cluster.now();
    for (int i = 0; i < 6; i++) {
      comes(ofJob("old-" + i, 6, start));
    }
    decide();
    assertThat(nodeOf).hasSize(6);
    for (int i = 0; i < 6; i++) {
      comes(ofJob("old-" + i, 6, start).on("n1"));
    }

    // The Job is scaled to 3; then one of its pods fails and is replaced.
    for (String gone : List.of("old-0", "old-1", "old-2", "old-3")) {
      cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", gone, "uid-" + gone)));
    }
    cluster.later(Duration.ofMinutes(1));
    comes(ofJob("new", 3, cluster.now()));
    decideAfter(Duration.ofSeconds(5));

    assertThat(nodeOf).containsKey("new");
  }

  @Test
  void podsOfDifferentOwners_areNotComparedByAge() {
    node("n1", 10_000);
    comes(ofJob("worker", 3, cluster.now()));
    comes(
        ofJob("driver", 1, cluster.now().plusSeconds(60))
            .controller(new Controller("v1", "Pod", "other")));

    decideAfter(Duration.ofSeconds(5));

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("driver")).contains("waits for 1 more pod: 2 of at least 3 exist");
  }

  @Test
  void groupThatFitsNowhere_saysWhy_likeASinglePod() {
    for (String name : List.of("n1", "n2")) {
      cluster.apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node(name)
                  .milliCpu(4_000)
                  .taint("maintenance", "", TaintEffect.NO_SCHEDULE)
                  .build()));
    }
    comes(2, "worker-", GroupModel.of(TRAIN, 2));
    decide();

    assertThat(messageOf.get("worker-1"))
        .isEqualTo(
            "group default/train cannot be placed: 2 of its pods have to be placed together, and"
                + " the nodes have room for 0; not for worker-0: 0/2 nodes are available: 2 node(s)"
                + " had untolerated taint(s)"
                + " (pods: 2 exist, 0 placed, 2 missing)");
  }

  @Test
  void recordOfAMember_hasTheGroup_theRevision_andTheRejectionsOfNodes() {
    node("n1", 500);
    comes(2, "worker-", GroupModel.of(TRAIN, 2));
    decide();

    DecisionRecord rejected = recordOf.get("worker-0");
    assertThat(rejected.group()).isEqualTo("group default/train");
    assertThat(rejected.policyRevision()).isEqualTo("1");
    assertThat(rejected.rejections()).extracting(Rejection::reason).contains("Insufficient cpu");

    node("n2", 4_000);
    decideAfter(Duration.ofSeconds(2));

    DecisionRecord placed = recordOf.get("worker-0");
    assertThat(placed.group()).isEqualTo("group default/train");
    assertThat(placed.feasibleNodes()).isEqualTo(1);
    assertThat(placed.message()).isEqualTo("placed on n2, one of 1/2 nodes that fit");
  }

  @Test
  void recordOfAMemberOfAnIncompleteGroup_hasTheRevision() {
    node("n1", 500);
    comes(1, "worker-", GroupModel.of(TRAIN, 2));
    decideAfter(Duration.ofSeconds(3));

    assertThat(recordOf.get("worker-0").policyRevision()).isEqualTo("1");
  }

  @Test
  void roomThatIsReservedForAnotherGroup_isNotCounted() {
    node("n1", 1_000);
    node("n2", 1_000);
    comes(Pods.pod("first").milliCpu(1_000).on("n1").runTime(RunTime.toCompletion()));
    comes(Pods.pod("second").milliCpu(1_000).on("n2").runTime(RunTime.toCompletion()));
    comes(2, "train-", GroupModel.of(TRAIN, 2));
    decide();
    decideAfter(Duration.ofMinutes(1));
    assertThat(messageOf.get("train-0")).contains("It is promised");
    cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", "first", "uid-first")));
    decide();

    GroupRef other = new GroupRef(GroupDialect.BERTH, "default", "other");
    comes(1, "other-", GroupModel.of(other, 1));
    decide();

    assertThat(messageOf.get("other-0"))
        .contains("1 of its pods have to be placed together, and the nodes have room for 0;");
  }

  @Test
  void numbersOfTiedGangs_countTheMinimumsOfAll() {
    GroupRef bundle = new GroupRef(GroupDialect.KOORDINATOR, "", "default/a,default/b");
    GroupModel tied = GroupModel.of(bundle, 0).withRoles(Map.of("default/a", 2, "default/b", 1));
    node("n1", 1_000);
    comes(
        Pods.pod("a-0")
            .milliCpu(1_000)
            .memberOf(new GroupMembership(bundle, "default/a", Optional.of(tied))));
    comes(
        Pods.pod("a-1")
            .milliCpu(1_000)
            .memberOf(new GroupMembership(bundle, "default/a", Optional.of(tied))));
    comes(
        Pods.pod("b-0")
            .milliCpu(1_000)
            .memberOf(new GroupMembership(bundle, "default/b", Optional.of(tied))));
    decide();

    assertThat(messageOf.get("b-0"))
        .contains("3 of its pods have to be placed together")
        .contains("(pods: 3 exist, 0 placed, 3 missing)");
    assertThat(cluster.engine.groups().getFirst().missing()).isEqualTo(3);
  }

  @Test
  void groupThatARestartLeftBelowItsMinimum_givesItsNodesBackAfterItsTimeout() {
    GroupModel group = GroupModel.of(TRAIN, 5).waitingFor(Duration.ofMinutes(5));
    Instant created = cluster.now();
    node("n1", 2_000);
    for (int i = 0; i < 5; i++) {
      Pods pod = Pods.pod("worker-" + i).milliCpu(1_000).memberOf(group).createdAt(created);
      comes(i < 2 ? pod.on("n1").startedAt(Optional.of(created.plusSeconds(5))) : pod);
    }
    decide();
    assertThat(givenBack).isEmpty();

    decideAfter(Duration.ofMinutes(5));

    assertThat(givenBack).containsExactly("worker-0", "worker-1");
  }

  @Test
  void groupThatWasComplete_keepsTheNodesOfThePodsThatAreLeft() {
    GroupModel group = GroupModel.of(TRAIN, 5).waitingFor(Duration.ofMinutes(5));
    Instant created = cluster.now();
    node("n1", 2_000);
    for (int i = 0; i < 5; i++) {
      Pods pod = Pods.pod("worker-" + i).milliCpu(1_000).memberOf(group);
      comes(
          i < 2
              ? pod.on("n1").createdAt(created).startedAt(Optional.of(created.plusSeconds(5)))
              : pod.createdAt(created.plusSeconds(600)));
    }
    decide();

    decideAfter(Duration.ofMinutes(30));

    assertThat(givenBack).isEmpty();
  }
}
