package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Preemption by groups: either the whole group fits after the evictions, or nothing is evicted. */
class GroupPreemptionTest {
  private static final int LOW = 0;
  private static final int HIGH = 100;
  private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> nominated = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();
  private final List<PodRef> victims = new ArrayList<>();

  private void node(String name, long milliCpu) {
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node(name).milliCpu(milliCpu).build()));
  }

  private static GroupModel group(String name, int min) {
    return GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", name), min);
  }

  private void comes(Pods pod) {
    PodModel model = pod.build();
    cluster.apply(new ClusterEvent.PodUpserted(model));
  }

  private void running(String name, long milliCpu, String nodeName) {
    comes(Pods.pod(name).milliCpu(milliCpu).priority(LOW).on(nodeName));
  }

  private void comes(int count, String name, GroupModel group, long milliCpu, int priority) {
    for (int i = 0; i < count; i++) {
      comes(Pods.pod(name + i).milliCpu(milliCpu).priority(priority).memberOf(group));
    }
  }

  private void decide() {
    cluster.decideAll(
        10_000,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> nodeOf.put(placed.pod().name(), placed.nodeName());
            case Decision.Nominated decision -> {
              nominated.put(decision.pod().name(), decision.nodeName());
              victims.addAll(decision.victims());
            }
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  private List<String> names() {
    return victims.stream().map(PodRef::name).sorted().toList();
  }

  @Test
  void groupOfHigherPriority_evictsWhatItNeeds_andNoMore() {
    for (int i = 0; i < 4; i++) {
      node("n" + i, 2_000);
      running("old-" + i + "a", 1_000, "n" + i);
      running("old-" + i + "b", 1_000, "n" + i);
    }

    comes(3, "worker-", group("train", 3), 1_000, HIGH);
    decide();

    assertThat(victims).hasSize(3);
    assertThat(nominated).hasSize(3);
    assertThat(nodeOf).isEmpty();
  }

  private void rules(String preemption) throws IOException {
    SchedulingPolicySpec spec =
        new ObjectMapper()
            .readValue("{\"preemption\": " + preemption + "}", SchedulingPolicySpec.class);
    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TestCluster.POLICY, spec)));
  }

  @Test
  void dryRunOfAGroup_reportsItsVictimsOnce_andEvictsNobody() throws IOException {
    rules("{\"mode\": \"DryRun\"}");
    node("n1", 1_000);
    node("n2", 1_000);
    running("old-1", 1_000, "n1");
    comes(Pods.pod("secret").namespace("team").milliCpu(1_000).priority(LOW).on("n2"));

    comes(2, "worker-", group("train", 2), 1_000, HIGH);
    Map<String, List<String>> reported = new TreeMap<>();
    List<String> messages = new ArrayList<>();
    for (int round = 0; round < 3; round++) {
      cluster.decideAll(
          100,
          decided -> {
            Decision.Unschedulable waits = (Decision.Unschedulable) decided;
            messages.add(waits.message());
            waits
                .wouldEvict()
                .ifPresent(
                    named ->
                        reported
                            .computeIfAbsent(named.nodeName(), node -> new ArrayList<>())
                            .addAll(named.victims().stream().map(PodRef::name).toList()));
          });
      cluster.later(Duration.ofSeconds(20));
      rules("{\"mode\": \"DryRun\"}"); // wakes the group
    }

    assertThat(reported).isEqualTo(Map.of("n1", List.of("old-1"), "n2", List.of("secret")));
    assertThat(messages)
        .isNotEmpty()
        .allSatisfy(
            message ->
                assertThat(message)
                    .contains("there would be room without default/old-1 and 1 pod of another")
                    .doesNotContain("secret"));
  }

  @Test
  void groupWhoseVictimsAreProtected_learnsByWhat_andEvictsThemOnceTheyAreNot() throws IOException {
    rules("{\"minRunTime\": \"5m\"}");
    node("n1", 1_000);
    comes(
        Pods.pod("young")
            .milliCpu(1_000)
            .priority(LOW)
            .on("n1")
            .startedAt(Optional.of(cluster.now())));
    comes(1, "worker-", group("train", 1), 1_000, HIGH);
    decide();
    assertThat(messageOf.get("worker-0"))
        .contains(
            "preemption: no pods may be evicted: pods of lower priority have run for less than the"
                + " minRunTime of the policy");

    cluster.later(Duration.ofMinutes(5));
    decide();

    assertThat(names()).containsExactly("young");
  }

  @Test
  void groupIsPlaced_whenItsVictimsAreGone_andNobodyElseTakesTheRoom() {
    node("n1", 2_000);
    running("old-a", 1_000, "n1");
    running("old-b", 1_000, "n1");
    comes(2, "worker-", group("train", 2), 1_000, HIGH);
    decide();
    assertThat(names()).containsExactly("old-a", "old-b");

    cluster.apply(new ClusterEvent.PodRemoved(victims.getFirst()));
    comes(Pods.pod("thief").milliCpu(1_000).priority(LOW));
    decide();
    assertThat(nodeOf).isEmpty();

    cluster.apply(new ClusterEvent.PodRemoved(victims.getLast()));
    cluster.later(Duration.ofSeconds(3));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-0", "worker-1");
    assertThat(victims).hasSize(2);
  }

  @Test
  void groupThatWouldNotFitEvenThen_evictsNobody() {
    node("n1", 2_000);
    running("old-a", 1_000, "n1");
    comes(3, "worker-", group("train", 3), 1_000, HIGH);

    decide();

    assertThat(victims).isEmpty();
    assertThat(messageOf.get("worker-0"))
        .endsWith(
            "preemption: evicting pods of lower priority does not make room for the group (pods: 3"
                + " exist, 0 placed, 3 missing)");
  }

  @Test
  void groupOfEqualPriority_evictsNobody() {
    node("n1", 2_000);
    running("old-a", 2_000, "n1");
    comes(2, "worker-", group("train", 2), 1_000, LOW);

    decide();

    assertThat(victims).isEmpty();
  }

  @Test
  void membersAboveTheirGroupsMinimum_goFirst() {
    node("n1", 4_000);
    GroupModel elastic = group("elastic", 2);
    for (int i = 0; i < 3; i++) {
      comes(
          Pods.pod("elastic-" + i)
              .milliCpu(1_000)
              .priority(LOW)
              .startedAt(Optional.of(LONG_AGO))
              .memberOf(elastic)
              .on("n1"));
    }
    running("single", 1_000, "n1");

    comes(1, "worker-", group("train", 1), 1_000, HIGH);
    decide();

    assertThat(names()).hasSize(1);
    assertThat(names().getFirst()).startsWith("elastic-");
  }

  @Test
  void groupThatIsDisruptedAsAWhole_goesAsAWhole() {
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel rigid = group("rigid", 2).disruptedBy(GroupDisruption.GROUP);
    comes(Pods.pod("rigid-0").milliCpu(1_000).priority(LOW).memberOf(rigid).on("n1"));
    comes(Pods.pod("rigid-1").milliCpu(1_000).priority(LOW).memberOf(rigid).on("n2"));

    comes(1, "worker-", group("train", 1), 1_000, HIGH);
    decide();

    assertThat(names()).containsExactly("rigid-0", "rigid-1");
  }

  @Test
  void refusedEviction_makesTheGroupLookElsewhere() {
    node("n1", 1_000);
    node("n2", 1_000);
    running("old-a", 1_000, "n1");
    running("old-b", 1_000, "n2");
    comes(1, "worker-", group("train", 1), 1_000, HIGH);
    decide();
    PodRef first = victims.getFirst();

    cluster.apply(new ClusterEvent.EvictionFailed(first, "a budget forbids it"));
    cluster.later(Duration.ofSeconds(3));
    decide();

    assertThat(victims).hasSize(2).doesNotHaveDuplicates();
    assertThat(cluster.engine.nominations().size()).isEqualTo(1);
  }

  @Test
  void membersOfAnIncompleteGroup_areReportedAgain_whenTheirNominationsEnd() {
    node("n1", 1_000);
    node("n2", 1_000);
    running("old-1", 1_000, "n1");
    GroupModel group = group("train", 2);
    Pods placed = Pods.pod("worker-1").priority(HIGH).memberOf(group).milliCpu(1_000).on("n2");
    comes(placed);
    comes(1, "worker-", group, 1_000, HIGH);
    decide();
    assertThat(nominated).isEqualTo(Map.of("worker-0", "n1"));

    cluster.apply(new ClusterEvent.PodRemoved(placed.build().ref()));
    cluster.later(Duration.ofSeconds(10));
    assertThat(reportedNomination("worker-0")).contains("n1");

    cluster.apply(
        new ClusterEvent.NodeUpserted(Nodes.node("n1").milliCpu(1_000).unschedulable().build()));
    cluster.later(Duration.ofSeconds(10));
    assertThat(reportedNomination("worker-0")).isEmpty();
  }

  @Test
  void membersOfAnIncompleteGroup_areReportedAgain_whenALostMemberEndsTheirNominations() {
    node("n1", 2_000);
    running("old-1", 1_000, "n1");
    running("old-2", 1_000, "n1");
    GroupModel group = group("train", 3);
    Pods placed = Pods.pod("worker-2").priority(HIGH).memberOf(group).on("n1");
    comes(placed);
    comes(2, "worker-", group, 1_000, HIGH);
    decide();
    cluster.apply(new ClusterEvent.PodRemoved(placed.build().ref()));
    cluster.later(Duration.ofSeconds(10));
    cluster.decideAll(100, _ -> {});

    cluster.apply(new ClusterEvent.PodRemoved(Pods.pod("worker-1").build().ref()));
    comes(
        Pods.pod("worker-3").milliCpu(1_000).priority(HIGH).memberOf(group)); // again two of three
    cluster.later(Duration.ofSeconds(10));

    Map<String, Optional<String>> reported = new TreeMap<>();
    cluster.decideAll(
        100,
        decided ->
            reported.put(decided.pod().name(), ((Decision.Unschedulable) decided).nominatedNode()));
    assertThat(reported)
        .isEqualTo(Map.of("worker-0", Optional.empty(), "worker-3", Optional.empty()));
  }

  /** Returns the nominated node in the decision that is due about an incomplete group's member. */
  private Optional<String> reportedNomination(String name) {
    List<Decision> decisions = new ArrayList<>();
    cluster.decideAll(100, decisions::add);
    assertThat(decisions)
        .singleElement()
        .isInstanceOfSatisfying(
            Decision.Unschedulable.class,
            waits -> {
              assertThat(waits.pod().name()).isEqualTo(name);
              assertThat(waits.cause()).isEqualTo(WaitCause.GROUP_INCOMPLETE);
            });
    return ((Decision.Unschedulable) decisions.getFirst()).nominatedNode();
  }
}
