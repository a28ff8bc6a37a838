package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupDisruption;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The annotation {@code group-disruption: Group} makes no pod unevictable: only limits of the
 * preemptor's policy and PriorityClasses do.
 */
class GroupsProtectNobodyTest {
  private static final int LOW = 0;
  private static final int HIGH = 100_000;
  private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");

  private final TestCluster cluster =
      new TestCluster(EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME));

  private void rules(String preemption) throws Exception {
    SchedulingPolicySpec spec =
        new ObjectMapper()
            .readValue("{\"preemption\": " + preemption + "}", SchedulingPolicySpec.class);
    cluster.apply(new ClusterEvent.PolicyServed(TestCluster.policy(TestCluster.POLICY, spec)));
  }

  private void node(String name, long milliCpu) {
    cluster.apply(new ClusterEvent.NodeUpserted(Nodes.node(name).milliCpu(milliCpu).build()));
  }

  private static GroupModel whole(String name, int min) {
    return GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", name), min)
        .disruptedBy(GroupDisruption.GROUP);
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

  private void nineOfAGroup() {
    GroupModel nine = whole("nine", 9);
    for (int i = 0; i < 9; i++) {
      node("n" + i, 1_000);
      comes(running("nine-" + i, "n" + i).memberOf(nine));
    }
  }

  private static Pods urgent(long milliCpu) {
    return Pods.pod("urgent").milliCpu(milliCpu).priority(HIGH);
  }

  private List<String> victims() {
    return cluster.nominated().victims().stream().map(PodRef::name).sorted().toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"maxVictimsPerPod\": 3}",
        "{\"maxEvictionsPerMinute\": 3}",
        "{\"maxEvictionsPerMinutePerNamespace\": 3}"
      })
  void groupOfMorePodsThanALimitAllows_losesAsManyAsThePreemptorNeeds(String limits)
      throws Exception {
    rules(limits);
    nineOfAGroup();

    comes(urgent(1_000));

    assertThat(victims()).hasSize(1);
  }

  @Test
  void groupOfAsManyPodsAsTheLimitsAllow_goesAsAWhole() throws Exception {
    rules("{\"maxVictimsPerPod\": 9, \"maxEvictionsPerMinute\": 9}");
    nineOfAGroup();

    comes(urgent(1_000));

    assertThat(victims()).hasSize(9);
  }

  @Test
  void smallGroupsThatTogetherAreTooManyVictims_loseSinglePods() throws Exception {
    rules("{\"maxVictimsPerPod\": 3}");
    node("n1", 2_000);
    node("n2", 2_000);
    for (String name : List.of("one", "other")) {
      GroupModel pair = whole(name, 2);
      comes(running(name + "-0", "n1").memberOf(pair));
      comes(running(name + "-1", "n2").memberOf(pair));
    }

    comes(urgent(2_000));

    assertThat(victims()).hasSize(2);
  }

  @Test
  void memberOfHigherPriority_doesNotProtectTheOthers() throws Exception {
    rules("{}");
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel pair = whole("pair", 2);
    comes(running("pair-0", "n1").memberOf(pair));
    comes(running("pair-1", "n2").priority(HIGH).memberOf(pair));

    comes(urgent(1_000));

    assertThat(victims()).containsExactly("pair-0");
  }

  @Test
  void memberThatIsAlwaysYoung_doesNotProtectTheOthers() throws Exception {
    rules("{\"minRunTime\": \"5m\"}");
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel pair = whole("pair", 2);
    comes(running("pair-0", "n1").memberOf(pair));
    comes(running("pair-1", "n2").startedAt(Optional.of(cluster.now())).memberOf(pair));

    comes(urgent(1_000));

    assertThat(victims()).containsExactly("pair-0");
  }

  @Test
  void policyThatDoesNotHonorGroups_evictsSinglePods() throws Exception {
    rules("{\"honorGroupDisruption\": false}");
    nineOfAGroup();

    comes(urgent(1_000));

    assertThat(victims()).hasSize(1);
  }

  @Test
  void groupThatPreempts_takesSinglePods_whereTheWholeGroupWouldBeTooMany() throws Exception {
    rules("{\"maxVictimsPerPod\": 1}");
    nineOfAGroup();
    GroupModel train = GroupModel.of(new GroupRef(GroupDialect.BERTH, "default", "train"), 2);
    for (int i = 0; i < 2; i++) {
      comes(Pods.pod("train-" + i).milliCpu(1_000).priority(HIGH).memberOf(train));
    }

    List<PodRef> evicted = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      evicted.addAll(cluster.nominated().victims());
    }

    assertThat(evicted).hasSize(2).doesNotHaveDuplicates();
  }

  @Test
  void memberThatIsOldEnoughByNow_goesWithTheOthers() throws Exception {
    rules("{\"minRunTime\": \"5m\"}");
    node("n1", 1_000);
    node("n2", 1_000);
    GroupModel pair = whole("pair", 2);
    comes(running("pair-0", "n1").memberOf(pair));
    comes(running("pair-1", "n2").startedAt(Optional.of(cluster.now())).memberOf(pair));
    cluster.later(Duration.ofMinutes(6));

    comes(urgent(1_000));

    assertThat(victims()).containsExactly("pair-0", "pair-1");
  }
}
