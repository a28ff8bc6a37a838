package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupMembership;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.NodeSelection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Messages of groups that fit nowhere even on empty nodes. */
class TooLargeGroupsTest {
  private static final GroupRef TRAIN = new GroupRef(GroupDialect.BERTH, "default", "train");
  private static final GroupModel PAIR = GroupModel.of(TRAIN, 2);
  private static final long GIB = 1L << 30;

  private final TestCluster cluster = new TestCluster();
  private final Map<String, Decision.Unschedulable> waiting = new TreeMap<>();

  private void node(String name, String pool, long milliCpu, long memoryBytes) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name)
                .label("pool", pool)
                .milliCpu(milliCpu)
                .memoryBytes(memoryBytes)
                .build()));
  }

  private void comes(Pods... pods) {
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

  private static Pods member(String name, long milliCpu) {
    return Pods.pod(name).milliCpu(milliCpu).memoryBytes(GIB).memberOf(PAIR);
  }

  private String messageOf(String pod) {
    return waiting.get(pod).message();
  }

  @Test
  void groupWithAMemberThatIsLargerThanEveryNode_saysWhichAndHowMuch_onAllMembers() {
    node("n1", "a", 4_000, 8 * GIB);
    node("n2", "a", 8_000, 8 * GIB);
    comes(Pods.pod("running").milliCpu(8_000).on("n2"));

    comes(member("small", 1_000), member("large", 16_500));

    assertThat(messageOf("small"))
        .isEqualTo(messageOf("large"))
        .contains(
            ". large does not fit on an empty node either: it requests 16.5 of cpu, and the largest"
                + " of the 2 nodes that it may use has 8 (pods: 2 exist");
    assertThat(waiting.values())
        .extracting(Decision.Unschedulable::cause)
        .containsOnly(WaitCause.NO_ROOM);
  }

  @Test
  void onlyNodesThatTheMemberMayUse_areCompared() {
    node("n1", "a", 4_000, 8 * GIB);
    node("n2", "b", 64_000, 8 * GIB);
    NodeSelection poolA = new NodeSelection(Map.of("pool", "a"), Optional.empty(), List.of());

    comes(member("one", 6_000).nodes(poolA), member("two", 6_000).nodes(poolA));

    assertThat(messageOf("one"))
        .contains("it requests 6 of cpu, and the only node that it may use has 4 (pods:");
  }

  @Test
  void resourcesThatNoNodeHasTogether_areAllNamed() {
    node("n1", "a", 16_000, 8 * GIB);
    node("n2", "a", 4_000, 64 * GIB);

    comes(member("one", 8_000).memoryBytes(32 * GIB), member("two", 8_000).memoryBytes(32 * GIB));

    assertThat(messageOf("two"))
        .contains(
            "does not fit on an empty node either: it requests 8 of cpu, 32Gi of memory, and none"
                + " of the 2 nodes that it may use has that much of all of them");
  }

  @Test
  void groupThatWouldFitOnEmptyNodes_saysNothingOfThat() {
    node("n1", "a", 8_000, 8 * GIB);
    comes(Pods.pod("running").milliCpu(8_000).on("n1"));

    comes(member("one", 4_000), member("two", 4_000));

    assertThat(messageOf("one")).contains("Insufficient cpu").doesNotContain("empty node");
  }

  @Test
  void memberThatTheGroupCanDoWithout_isNotTheReason() {
    node("n1", "a", 4_000, 8 * GIB);
    comes(Pods.pod("running").milliCpu(4_000).on("n1"));

    comes(member("one", 1_000), member("two", 1_000), member("large", 16_000));

    assertThat(messageOf("one")).contains("have room for 0").doesNotContain("empty node");
  }

  @Test
  void memberOfARoleThatIsNeeded_isTheReason_evenIfOtherMembersAreMany() {
    GroupModel withDriver = GroupModel.of(TRAIN, 2).withRoles(Map.of("driver", 1));
    node("n1", "a", 4_000, 8 * GIB);

    comes(
        member("one", 1_000).memberOf(withDriver),
        member("two", 1_000).memberOf(withDriver),
        member("driver", 16_000)
            .memberOf(new GroupMembership(TRAIN, "driver", Optional.of(withDriver))));

    assertThat(messageOf("one"))
        .contains("driver does not fit on an empty node either: it requests 16 of cpu");
  }

  @Test
  void groupThatSelectsNoNode_saysThatOnly() {
    node("n1", "a", 4_000, 8 * GIB);
    NodeSelection elsewhere = new NodeSelection(Map.of("pool", "b"), Optional.empty(), List.of());

    comes(member("one", 8_000).nodes(elsewhere), member("two", 8_000).nodes(elsewhere));

    assertThat(messageOf("one")).contains("node affinity").doesNotContain("empty node");
  }
}
