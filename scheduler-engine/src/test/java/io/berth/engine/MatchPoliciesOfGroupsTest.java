package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GroupState;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.MatchPolicy;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The members of a group that count towards its minimum, once some of them run. */
class MatchPoliciesOfGroupsTest {
  private static final GroupRef GANG = new GroupRef(GroupDialect.KOORDINATOR, "default", "train");
  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant STARTED = CREATED.plusSeconds(5);
  private static final Instant LATER = CREATED.plusSeconds(600);

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();

  @BeforeEach
  void roomForTen() {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node("n1").milliCpu(10_000).memoryBytes(64L << 30).build()));
  }

  private static GroupModel gang(int min, MatchPolicy policy) {
    return GroupModel.of(GANG, min).matchedBy(policy);
  }

  private static Pods pod(String name, GroupModel gang) {
    return Pods.pod(name).milliCpu(1_000).memberOf(gang).createdAt(CREATED);
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private void leaves(String name) {
    cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", name, "uid-" + name)));
  }

  private void decide() {
    cluster.later(Duration.ofSeconds(5));
    cluster.decideAll(
        1_000,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> {
              nodeOf.put(placed.pod().name(), placed.nodeName());
              messageOf.remove(placed.pod().name());
            }
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  /** Starts a gang with all pods bound and running, as the API server shows them. */
  private void runs(GroupModel gang, int count) {
    for (int i = 0; i < count; i++) {
      comes(pod("worker-" + i, gang));
    }
    decide();
    assertThat(nodeOf).hasSize(count);
    for (int i = 0; i < count; i++) {
      comes(running("worker-" + i, gang));
    }
    nodeOf.clear();
  }

  private static Pods running(String name, GroupModel gang) {
    return pod(name, gang).on("n1").startedAt(Optional.of(STARTED));
  }

  @Test
  void onceSatisfied_makesReplacementsOrdinary_thoughTheyAreLessThanWhatIsMissing() {
    GroupModel gang = gang(4, MatchPolicy.ONCE_SATISFIED);
    runs(gang, 4);
    leaves("worker-0");
    leaves("worker-1");

    comes(pod("replacement", gang).createdAt(LATER));
    decide();

    assertThat(nodeOf).containsOnlyKeys("replacement");
  }

  @Test
  void waitingAndRunning_placesReplacementsTogether() {
    GroupModel gang = gang(4, MatchPolicy.WAITING_AND_RUNNING);
    runs(gang, 4);
    leaves("worker-0");
    leaves("worker-1");

    comes(pod("replacement-0", gang).createdAt(LATER));
    decide();
    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("replacement-0"))
        .isEqualTo(
            "gang default/train waits for 1 more pod: 3 of at least 4 exist (pods: 3 exist, 2"
                + " placed, 2 missing)");

    comes(pod("replacement-1", gang).createdAt(LATER));
    decide();
    assertThat(nodeOf).containsOnlyKeys("replacement-0", "replacement-1");
  }

  @Test
  void onlyWaiting_asksForTheWholeMinimumAgain() {
    GroupModel gang = gang(2, MatchPolicy.ONLY_WAITING);
    runs(gang, 2);

    comes(pod("worker-2", gang).createdAt(LATER));
    decide();
    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-2"))
        .isEqualTo(
            "gang default/train waits for 1 more pod: 1 of at least 2 exist, and pods that are"
                + " placed already do not count (match-policy only-waiting) (pods: 3 exist, 2"
                + " placed, 2 missing)");

    comes(pod("worker-3", gang).createdAt(LATER));
    decide();
    assertThat(nodeOf).containsOnlyKeys("worker-2", "worker-3");
  }

  @Test
  void onlyWaiting_countsTheOthersOfAStart_whenOneBindingIsTriedAgain() {
    GroupModel gang = gang(2, MatchPolicy.ONLY_WAITING);
    comes(pod("worker-0", gang));
    comes(pod("worker-1", gang));
    decide();
    comes(running("worker-0", gang));
    nodeOf.clear();

    cluster.apply(
        new ClusterEvent.BindingFailed(
            new PodRef("default", "worker-1", "uid-worker-1"), "conflict", true));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-1");
  }

  @Test
  void gangOfWhichAllPodsRun_isPlaced_whateverCounts() {
    for (MatchPolicy policy : MatchPolicy.values()) {
      TestCluster fresh = new TestCluster();
      fresh.apply(new ClusterEvent.PodUpserted(running("worker-0", gang(1, policy)).build()));

      assertThat(fresh.engine.takeChangedGroups())
          .as(policy.toString())
          .singleElement()
          .satisfies(
              state -> {
                assertThat(state.phase()).isEqualTo(GroupState.Phase.PLACED);
                assertThat(state.placed()).isEqualTo(1);
                assertThat(state.message()).isEmpty();
              });
    }
  }

  @Test
  void bindingsThatFailBeforeTheMinimumIsBound_leaveTheGangUnsatisfied() {
    GroupModel gang = gang(2, MatchPolicy.ONCE_SATISFIED);
    comes(pod("worker-0", gang));
    comes(pod("worker-1", gang));
    decide();
    cluster.apply(
        new ClusterEvent.BindingFailed(
            new PodRef("default", "worker-1", "uid-worker-1"), "conflict", true));

    assertThat(cluster.engine.takeChangedGroups().getLast().missing()).isEqualTo(1);
  }

  @Test
  void afterARestart_gangThatRunsWithItsMinimum_isSatisfied() {
    GroupModel gang = gang(3, MatchPolicy.ONCE_SATISFIED);
    for (int i = 0; i < 3; i++) {
      comes(running("worker-" + i, gang));
    }
    leaves("worker-0");
    leaves("worker-1");

    comes(pod("replacement", gang).createdAt(LATER));
    decide();

    assertThat(nodeOf).containsOnlyKeys("replacement");
  }

  @Test
  void afterARestart_replacementsThatAreYoungerThanWhatRuns_showThatTheGangWasSatisfied() {
    GroupModel gang = gang(4, MatchPolicy.ONCE_SATISFIED);
    comes(running("worker-0", gang));
    comes(pod("replacement", gang).createdAt(LATER));
    decide();

    assertThat(nodeOf).containsOnlyKeys("replacement");
  }

  @Test
  void afterARestart_podsThatAreAsOldAsWhatRuns_showAnInterruptedStart() {
    GroupModel gang = gang(4, MatchPolicy.ONCE_SATISFIED);
    comes(running("worker-0", gang));
    comes(pod("worker-1", gang));
    comes(pod("worker-2", gang));
    comes(pod("worker-3", gang).milliCpu(9_500));
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-1")).contains("3 of its pods have to be placed together");
  }

  @Test
  void afterARestart_gangsThatAreTied_areJudgedByTheMinimumOfEach() {
    GroupRef both = new GroupRef(GroupDialect.KOORDINATOR, "", "default/a,default/b");
    GroupModel tied =
        GroupModel.of(both, 0)
            .withRoles(Map.of("default/a", 1, "default/b", 2))
            .matchedBy(MatchPolicy.ONCE_SATISFIED);
    for (PodModel pod :
        List.of(
            running("a-0", tied).memberOf(of(tied, "default/a")).build(),
            running("a-1", tied).memberOf(of(tied, "default/a")).build(),
            pod("b-0", tied).memberOf(of(tied, "default/b")).createdAt(LATER).build())) {
      cluster.apply(new ClusterEvent.PodUpserted(pod));
    }
    decide();

    assertThat(nodeOf).containsOnlyKeys("b-0");
  }

  private static GroupMembership of(GroupModel gang, String role) {
    return new GroupMembership(gang.ref(), role, Optional.of(gang));
  }
}
