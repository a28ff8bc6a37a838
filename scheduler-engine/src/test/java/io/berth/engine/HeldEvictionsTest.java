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
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Pods and groups whose evictions are delayed by limits of their policy: they ask for a node once
 * they have been held for a minute.
 */
class HeldEvictionsTest {
  private static final int NODES = 8;

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));
  private final Map<String, WaitCause> causeOf = new TreeMap<>();
  private final Map<String, Decision.WouldEvict> reportedFor = new TreeMap<>();

  @BeforeEach
  void fillNodes() {
    for (int i = 0; i < NODES; i++) {
      cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node("n" + i).milliCpu(1_000).build()));
      comes(
          Pods.pod("old-" + i)
              .milliCpu(1_000)
              .startedAt(Optional.of(Instant.parse("2025-01-01T00:00:00Z")))
              .on("n" + i));
    }
  }

  private void rules(String preemption) throws IOException {
    policy(TestCluster.POLICY, preemption);
  }

  private void policy(String name, String preemption) throws IOException {
    SchedulingPolicySpec spec =
        new ObjectMapper()
            .readValue("{\"preemption\": " + preemption + "}", SchedulingPolicySpec.class);
    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(name, spec)));
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static Pods urgent(String name, int priority) {
    return Pods.pod(name).milliCpu(1_000).priority(priority);
  }

  private void pairComes(String name, int priority) {
    GroupModel pair = GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", name), 2);
    comes(urgent(name + "-0", priority).memberOf(pair));
    comes(urgent(name + "-1", priority).memberOf(pair));
  }

  private void decide() {
    cluster.decideAll(
        1_000,
        decided -> {
          String name = decided.pod().name();
          causeOf.remove(name);
          if (decided instanceof Decision.Unschedulable waits) {
            causeOf.put(name, waits.cause());
            waits.wouldEvict().ifPresent(report -> reportedFor.put(name, report));
          }
        });
  }

  private void decideAfter(int seconds) {
    cluster.later(Duration.ofSeconds(seconds));
    decide();
  }

  @Test
  void podHeldForAMinute_asksForANode_whileOthersAreStillHeld() throws IOException {
    rules("{\"maxEvictionsPerMinute\": 1}");
    for (int i = 0; i < 4; i++) {
      comes(urgent("urgent-" + i, 100));
    }
    decide();
    assertThat(causeOf.values()).hasSize(3).containsOnly(WaitCause.EVICTIONS_HELD);

    decideAfter(30);
    comes(urgent("late", 100));
    decide();
    decideAfter(30);

    assertThat(causeOf).containsEntry("late", WaitCause.EVICTIONS_HELD);
    causeOf.remove("late");
    assertThat(causeOf.values()).hasSize(2).containsOnly(WaitCause.NO_ROOM);

    decideAfter(30);
    assertThat(causeOf).containsEntry("late", WaitCause.NO_ROOM);
  }

  @Test
  void podThatEvictionsOfAnotherPolicyHold_asksForANodeAfterAMinute() throws IOException {
    policy("unlimited", "{}");
    rules("{\"maxEvictionsPerMinute\": 1}");
    for (int i = 0; i < 3; i++) {
      comes(urgent("other-" + i, 200).policy("unlimited"));
      comes(urgent("held", 100));
      decide();
      assertThat(causeOf).containsEntry("held", WaitCause.EVICTIONS_HELD);
      decideAfter(25);
    }

    assertThat(causeOf).containsEntry("held", WaitCause.NO_ROOM);
  }

  @Test
  void groupHeldForAMinute_asksForNodes() throws IOException {
    rules("{\"maxEvictionsPerMinute\": 2}");
    pairComes("first", 100);
    decide();
    pairComes("second", 100);
    decide();
    assertThat(causeOf)
        .containsEntry("second-0", WaitCause.EVICTIONS_HELD)
        .containsEntry("second-1", WaitCause.EVICTIONS_HELD);

    cluster.later(Duration.ofSeconds(59));
    pairComes("third", 200);
    decideAfter(1);

    assertThat(causeOf)
        .containsEntry("second-0", WaitCause.NO_ROOM)
        .containsEntry("second-1", WaitCause.NO_ROOM);
  }

  @Test
  void policyThatOnlyReportsEvictions_reportsThemWithoutWaitingForItsLimit() throws IOException {
    policy("unlimited", "{}");
    rules("{\"mode\": \"DryRun\", \"maxEvictionsPerMinute\": 2}");
    for (int i = 0; i < 3; i++) {
      comes(urgent("other-" + i, 200).policy("unlimited"));
    }
    decide();
    comes(urgent("reported", 100));
    pairComes("pair", 100);
    decide();

    assertThat(causeOf.values()).hasSize(3).containsOnly(WaitCause.NO_ROOM);
    assertThat(reportedFor).containsKeys("reported", "pair-0", "pair-1");
  }

  @Test
  void policyThatOnlyReportsEvictions_reportsNoneThatItsLimitNeverAllows() throws IOException {
    rules("{\"mode\": \"DryRun\", \"maxEvictionsPerMinute\": 1}");
    pairComes("pair", 100);
    decide();

    assertThat(causeOf.values()).hasSize(2).containsOnly(WaitCause.NO_ROOM);
    assertThat(reportedFor).isEmpty();
  }

  @Test
  void podWhosePolicyOnlyReportsEvictions_asksForANode_alsoWhileVictimsAreYoung()
      throws IOException {
    rules("{\"mode\": \"DryRun\", \"minRunTime\": \"30s\"}");
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node("n0").milliCpu(2_000).build()));
    comes(
        Pods.pod("young")
            .milliCpu(1_000)
            .startedAt(Optional.of(cluster.now().minusSeconds(10)))
            .on("n0"));
    comes(Pods.pod("large").milliCpu(2_000).priority(100));
    decide();

    assertThat(causeOf).containsExactly(Map.entry("large", WaitCause.NO_ROOM));
  }
}
