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
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.RunTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Reservations for groups: a group that waits long gets the resources that become free as pods end.
 */
class GroupReservationTest {
  private static final GroupModel TRAIN = group("train", 2);
  private static final Duration A_MINUTE = Duration.ofMinutes(1).plusSeconds(1);

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();
  private final Map<String, Optional<String>> nominated = new HashMap<>();

  private static GroupModel group(String name, int min) {
    return GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", name), min);
  }

  private void node(String name) {
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node(name).milliCpu(1_000).build()));
  }

  private PodModel comes(Pods pod) {
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
    return model;
  }

  /** Returns a pod that has just started on a node. */
  private PodModel running(String name, String nodeName, RunTime runTime) {
    return comes(
        Pods.pod(name)
            .milliCpu(1_000)
            .startedAt(Optional.of(cluster.now()))
            .runTime(runTime)
            .on(nodeName));
  }

  private void trainComes() {
    comes(Pods.pod("train-0").milliCpu(1_000).memberOf(TRAIN));
    comes(Pods.pod("train-1").milliCpu(1_000).memberOf(TRAIN));
    decide();
  }

  private void ends(PodModel pod) {
    cluster.apply(new ClusterEvent.PodRemoved(pod.ref()));
  }

  private void decide() {
    cluster.decideAll(
        10_000,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> nodeOf.put(placed.pod().name(), placed.nodeName());
            case Decision.Unschedulable waits -> {
              messageOf.put(waits.pod().name(), waits.message());
              nominated.put(waits.pod().name(), waits.nominatedNode());
            }
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  private void decideAfter(Duration time) {
    cluster.later(time);
    decide();
  }

  @Test
  void groupThatHasJustCome_holdsNothing() {
    node("n1");
    node("n2");
    PodModel first = running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();

    ends(first);
    comes(Pods.pod("small").milliCpu(1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("small");
  }

  @Test
  void groupThatWaitsLong_isPlaced_thoughSmallPodsKeepComing() {
    node("n1");
    node("n2");
    PodModel first = running("first", "n1", RunTime.toCompletion());
    PodModel second = running("second", "n2", RunTime.toCompletion());
    trainComes();
    decideAfter(A_MINUTE);
    assertThat(messageOf.get("train-0")).contains("It is promised the resources of other pods");
    assertThat(nominated.values()).allMatch(Optional::isPresent);

    ends(first);
    comes(Pods.pod("small-0").milliCpu(1_000));
    decideAfter(Duration.ofSeconds(30));
    assertThat(nodeOf).isEmpty();

    ends(second);
    comes(Pods.pod("small-1").milliCpu(1_000));
    decideAfter(Duration.ofSeconds(30));

    assertThat(nodeOf).containsOnlyKeys("train-0", "train-1");
    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }

  @Test
  void podThatEndsBeforeTheReservation_mayUseTheRoom_andOneThatRunsLongerMayNot() {
    node("n1");
    node("n2");
    running("long", "n1", RunTime.of(Duration.ofHours(1)));
    PodModel shorter = running("shorter", "n2", RunTime.of(Duration.ofMinutes(5)));
    trainComes();
    decideAfter(A_MINUTE);
    ends(shorter);

    comes(Pods.pod("two-hours").milliCpu(1_000).runTime(RunTime.of(Duration.ofHours(2))));
    comes(Pods.pod("unknown").milliCpu(1_000).runTime(RunTime.toCompletion()));
    decide();
    assertThat(nodeOf).isEmpty();

    comes(Pods.pod("half-an-hour").milliCpu(1_000).runTime(RunTime.of(Duration.ofMinutes(30))));
    decide();
    assertThat(nodeOf).containsExactly(Map.entry("half-an-hour", "n2"));
  }

  @Test
  void preemptorThatEndsBeforeTheGroupStarts_mayUseItsRoom_besideWhatItsVictimsLeave() {
    node("n1");
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node("n2").milliCpu(2_000).build()));
    running("long", "n1", RunTime.of(Duration.ofHours(1)));
    comes(Pods.pod("victim").milliCpu(1_000).on("n2"));
    PodModel shorter = running("shorter", "n2", RunTime.of(Duration.ofMinutes(5)));
    for (String name : List.of("train-0", "train-1")) {
      comes(Pods.pod(name).milliCpu(1_000).priority(20).neverPreempts(true).memberOf(TRAIN));
    }
    decide();
    decideAfter(A_MINUTE);
    assertThat(nominated).containsEntry("train-1", Optional.of("n2"));
    ends(shorter);

    Pods large = Pods.pod("two-hours").milliCpu(2_000).priority(10);
    comes(large.runTime(RunTime.of(Duration.ofHours(2))));
    decide();
    assertThat(messageOf.get("two-hours")).contains("preemption: 0/2 nodes are available");
    large = Pods.pod("half-an-hour").milliCpu(2_000).priority(10);
    comes(large.runTime(RunTime.of(Duration.ofMinutes(30))));

    Decision.Nominated decision = cluster.nominated();
    assertThat(decision.pod().name()).isEqualTo("half-an-hour");
    assertThat(decision.victims()).extracting(PodRef::name).containsExactly("victim");
  }

  @Test
  void podOfHigherPriority_takesTheRoom() {
    node("n1");
    node("n2");
    PodModel first = running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();
    decideAfter(A_MINUTE);

    ends(first);
    comes(Pods.pod("urgent").milliCpu(1_000).priority(10));
    decide();

    assertThat(nodeOf).containsOnlyKeys("urgent");
  }

  @Test
  void reservationThatComesNoCloser_ends_andOthersUseTheRoom() {
    node("n1");
    node("n2");
    PodModel first = running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();
    decideAfter(A_MINUTE);
    ends(first);
    comes(Pods.pod("small").milliCpu(1_000));
    decide();
    assertThat(nodeOf).isEmpty();

    decideAfter(Duration.ofMinutes(4));
    comes(Pods.pod("later").milliCpu(1_000));
    decide();
    assertThat(nodeOf).isEmpty();

    decideAfter(GroupModel.DEFAULT_TIMEOUT.minusMinutes(4).plusSeconds(1));
    decideAfter(Duration.ofSeconds(10));
    assertThat(nodeOf).hasSize(1).doesNotContainKeys("train-0", "train-1");
    assertThat(messageOf.get("train-0")).doesNotContain("promised");
  }

  @Test
  void groupWhosePolicyIsGone_leavesNoReservation() {
    node("n1");
    node("n2");
    running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();
    decideAfter(A_MINUTE);
    assertThat(cluster.engine.nominations().isEmpty()).isFalse();

    cluster.apply(new ClusterEvent.PolicyRemoved(TestCluster.POLICY));
    decideAfter(Duration.ofSeconds(30));

    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }

  @Test
  void roomOfServices_isNotReserved() {
    node("n1");
    node("n2");
    PodModel job = running("job", "n1", RunTime.toCompletion());
    running("service", "n2", RunTime.endless());
    trainComes();
    decideAfter(A_MINUTE);

    ends(job);
    comes(Pods.pod("small").milliCpu(1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("small");
  }

  @Test
  void podThatRunsTwiceAsLongAsDeclared_isNotWaitedFor() {
    node("n1");
    node("n2");
    PodModel job = running("job", "n1", RunTime.toCompletion());
    running("overdue", "n2", RunTime.of(Duration.ofSeconds(20)));
    trainComes();
    decideAfter(A_MINUTE);

    ends(job);
    comes(Pods.pod("small").milliCpu(1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("small");
  }

  @Test
  void onlyOneGroupHasAReservation_theOneOfTheHighestPriority() {
    node("n1");
    node("n2");
    running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();
    GroupModel other = group("other", 2);
    comes(Pods.pod("other-0").milliCpu(1_000).neverPreempts(true).priority(5).memberOf(other));
    comes(Pods.pod("other-1").milliCpu(1_000).neverPreempts(true).priority(5).memberOf(other));
    decide();

    decideAfter(A_MINUTE);

    assertThat(messageOf.get("other-0")).contains("promised");
    assertThat(messageOf.get("train-0")).doesNotContain("promised");
  }

  @Test
  void podThatDeclaresToRunForEver_keepsNoReservationOpen() {
    node("n1");
    node("n2");
    running("endless", "n1", RunTime.of(Duration.ofHours(999_999_999)));
    running("job", "n2", RunTime.toCompletion());
    comes(Pods.pod("big-0").milliCpu(1_000).memberOf(group("big", 2)));
    comes(Pods.pod("big-1").milliCpu(1_000).memberOf(group("big", 2)));
    decide();
    cluster.later(Duration.ofSeconds(1));
    comes(Pods.pod("small-0").milliCpu(1_000).memberOf(group("small", 1)));
    decide();

    decideAfter(A_MINUTE);
    decideAfter(A_MINUTE);

    assertThat(messageOf.get("big-0")).doesNotContain("promised");
    assertThat(messageOf.get("small-0")).contains("promised");
  }

  @Test
  void reservationEndsAfterADay_howeverLongItsGroupWouldWait() {
    node("n1");
    node("n2");
    running("first", "n1", RunTime.of(Duration.ofHours(23)));
    running("second", "n2", RunTime.of(Duration.ofHours(23)));
    GroupModel patient = group("patient", 2).waitingFor(Duration.ofHours(999_999));
    assertThat(patient.timeout()).isEqualTo(Duration.ofDays(1));
    comes(Pods.pod("patient-0").milliCpu(1_000).memberOf(patient));
    comes(Pods.pod("patient-1").milliCpu(1_000).memberOf(patient));
    decide();
    decideAfter(A_MINUTE);
    assertThat(nominated.get("patient-0")).isPresent();

    decideAfter(Duration.ofHours(24));

    assertThat(nominated.get("patient-0")).isEmpty();
  }

  private void groupIn(String namespace, String name) {
    GroupModel model = GroupModel.of(new GroupRef(GroupDialect.BERTH, namespace, name), 2);
    for (int i = 0; i < 2; i++) {
      comes(Pods.pod(name + "-" + i).namespace(namespace).milliCpu(1_000).memberOf(model));
    }
  }

  @Test
  void turnsGoRoundTheNamespaces() {
    node("n1");
    node("n2");
    running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    for (int i = 0; i < 5; i++) {
      groupIn("greedy", "greedy-" + i);
      decideAfter(Duration.ofSeconds(1));
    }
    groupIn("modest", "modest");
    decide();
    decideAfter(A_MINUTE);
    assertThat(reserved()).containsExactly("greedy-0");

    decideAfter(GroupModel.DEFAULT_TIMEOUT);
    decideAfter(A_MINUTE);

    assertThat(reserved()).containsExactly("modest");
  }

  /** Returns the groups whose pods are nominated. */
  private List<String> reserved() {
    return nominated.entrySet().stream()
        .filter(pod -> pod.getValue().isPresent())
        .map(pod -> pod.getKey().replaceFirst("-[01]$", ""))
        .distinct()
        .toList();
  }

  @Test
  void groupThatIsGone_leavesNoReservation() {
    node("n1");
    node("n2");
    PodModel first = running("first", "n1", RunTime.toCompletion());
    running("second", "n2", RunTime.toCompletion());
    trainComes();
    decideAfter(A_MINUTE);

    cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", "train-0", "uid-train-0")));
    ends(first);
    comes(Pods.pod("small").milliCpu(1_000));
    decide();

    assertThat(nodeOf).containsOnlyKeys("small");
    assertThat(cluster.engine.nominations().isEmpty()).isTrue();
  }
}
