package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Minimum resources of groups: a group waits until the declared amount is free in the cluster. */
class MinResourcesOfGroupsTest {
  private static final GroupRef JOB = new GroupRef(GroupDialect.VOLCANO, "default", "job");
  private static final Instant LONG_AGO = Instant.parse("2025-01-01T00:00:00Z");

  private final TestCluster cluster = new TestCluster();
  private final Map<String, String> nodeOf = new TreeMap<>();
  private final Map<String, String> messageOf = new TreeMap<>();
  private final List<String> victims = new ArrayList<>();

  @BeforeEach
  void served() {
    cluster.apply(new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO));
    node("n1", false);
  }

  private void node(String name, boolean cordoned) {
    cluster.apply(
        new ClusterEvent.NodeUpserted(
            Nodes.node(name)
                .milliCpu(4_000)
                .memoryBytes(8L << 30)
                .unschedulable(cordoned)
                .build()));
  }

  private void group(int min, Map<String, Long> resources) {
    cluster.apply(
        new ClusterEvent.PodGroupUpserted(
            GroupModel.of(JOB, min).withMinResources(ResourceAmounts.of(resources))));
  }

  private void comes(Pods pod) {
    cluster.apply(new ClusterEvent.PodUpserted(pod.build()));
  }

  private static Pods member(String name) {
    return Pods.pod(name).milliCpu(1_000).memoryBytes(1L << 30).priority(100).memberOf(JOB);
  }

  private void decide() {
    cluster.later(Duration.ofSeconds(5));
    cluster.decideAll(
        1_000,
        decided -> {
          switch (decided) {
            case Decision.Placed placed -> nodeOf.put(placed.pod().name(), placed.nodeName());
            case Decision.Unschedulable waits -> messageOf.put(waits.pod().name(), waits.message());
            case Decision.Nominated nominated ->
                nominated.victims().forEach(victim -> victims.add(victim.name()));
            case Decision other -> throw new AssertionError("unexpected: " + other);
          }
        });
  }

  @Test
  void groupThatAsksForMoreThanIsFree_isRefused_thoughItsPodsWouldFit() {
    node("cordoned", true);
    comes(Pods.pod("other").milliCpu(500).on("n1"));
    group(2, Map.of("cpu", 6_500L, "memory", 4L << 30));
    comes(member("worker-0"));
    comes(member("worker-1"));
    decide();

    assertThat(nodeOf).isEmpty();
    assertThat(messageOf.get("worker-0"))
        .isEqualTo(
            "PodGroup default/job cannot be placed: its minResources request 6.5 of cpu, but 3.5 is"
                + " free on schedulable nodes (pods: 2 exist, 0 placed, 2 missing)");

    node("n2", false);
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-0", "worker-1");
  }

  @Test
  void amountsOfMemory_haveUnits() {
    group(1, Map.of("memory", 16L << 30));
    comes(member("worker-0"));
    decide();

    assertThat(messageOf.get("worker-0"))
        .contains("its minResources request 16Gi of memory, but 8Gi is free on schedulable nodes");
  }

  @Test
  void resourceThatNoNodeOffers_isNotFree() {
    group(1, Map.of("example.com/gpu", 1L));
    comes(member("worker-0"));
    decide();

    assertThat(messageOf.get("worker-0"))
        .contains("request 1 of example.com/gpu, but 0 is free on schedulable nodes");
  }

  @Test
  void podsMayBeAsked() {
    group(1, Map.of("pods", 1_000_000L));
    comes(member("worker-0"));
    decide();

    assertThat(messageOf.get("worker-0")).contains("request 1000000 of pods");
  }

  @Test
  void whatItsPlacedMembersHold_countsAsFree() {
    comes(member("worker-0").on("n1"));
    comes(member("worker-1").on("n1"));
    group(3, Map.of("cpu", 4_000L));
    comes(member("worker-2"));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-2");
  }

  @Test
  void onceAMemberHasSucceeded_nothingIsAskedFor() {
    comes(member("worker-0").on("n1").succeeded());
    comes(Pods.pod("other").milliCpu(2_000).on("n1"));
    group(2, Map.of("cpu", 4_000L));
    comes(member("worker-1"));
    decide();

    assertThat(nodeOf).containsOnlyKeys("worker-1");
  }

  @Test
  void roomThatAPodLeaves_isTaken() {
    comes(Pods.pod("other").milliCpu(1_000).on("n1"));
    group(2, Map.of("cpu", 4_000L));
    comes(member("worker-0"));
    comes(member("worker-1"));
    decide();
    assertThat(nodeOf).isEmpty();

    cluster.apply(new ClusterEvent.PodRemoved(new PodRef("default", "other", "uid-other")));
    decide();

    assertThat(nodeOf).hasSize(2);
  }

  @Test
  void groupWhosePodsNeedThatMuch_evictsForIt() {
    comes(lowPriority());
    group(2, Map.of("cpu", 2_000L));
    comes(member("worker-0"));
    comes(member("worker-1"));
    decide();

    assertThat(victims).containsExactly("old");
  }

  @Test
  void groupWhosePodsNeedLess_evictsNobodyForTheRest() {
    comes(lowPriority());
    group(2, Map.of("cpu", 3_000L));
    comes(member("worker-0"));
    comes(member("worker-1"));
    decide();

    assertThat(victims).isEmpty();
    assertThat(nodeOf).isEmpty();
  }

  private static Pods lowPriority() {
    return Pods.pod("old").milliCpu(3_500).priority(0).on("n1").startedAt(Optional.of(LONG_AGO));
  }
}
