package io.berth.operator.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.Advice;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Refusal;
import io.berth.engine.devices.DeviceClass;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.DisruptionBudget;
import io.berth.engine.model.GroupDialect;
import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodRef;
import io.berth.engine.model.PriorityClassModel;
import io.berth.engine.model.QueueDialect;
import io.berth.engine.model.QueueModel;
import io.berth.engine.model.ResourceAmounts;
import io.berth.engine.model.WorkloadSelector;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.volume.CsiDriver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every input of an engine can be excluded from the engine that replaces it. */
class ExcludedObjectsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final PodRef POD = new PodRef("team", "web", "uid-web");
  private static final GroupRef GROUP = new GroupRef(GroupDialect.VOLCANO, "team", "train");

  private final ExcludedObjects excluded = new ExcludedObjects();

  /** One event of each type. */
  static Stream<ClusterEvent> events() {
    WorkloadSelector service =
        new WorkloadSelector(
            WorkloadSelector.Kind.SERVICE, "team", "front", LabelSelector.everything());
    return Stream.of(
        new ClusterEvent.PodUpserted(Pods.pod("web").build()),
        new ClusterEvent.PodRemoved(POD),
        new ClusterEvent.NodeUpserted(Nodes.node("n1").build()),
        new ClusterEvent.NodeRemoved("n1"),
        new ClusterEvent.NamespaceUpserted("team", Map.of()),
        new ClusterEvent.NamespaceRemoved("team"),
        new ClusterEvent.WorkloadSelectorUpserted(service),
        new ClusterEvent.WorkloadSelectorRemoved(service.kind(), "team", "front"),
        new ClusterEvent.GroupDialectServed(GroupDialect.VOLCANO),
        new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 2)),
        new ClusterEvent.PodGroupRemoved(GROUP),
        new ClusterEvent.BudgetUpserted(
            new DisruptionBudget("team", "pdb", LabelSelector.everything(), 1, Set.of())),
        new ClusterEvent.BudgetRemoved("team", "pdb"),
        new ClusterEvent.PriorityClassUpserted(PriorityClassModel.of("high", 10), Optional.empty()),
        new ClusterEvent.PriorityClassRemoved("high"),
        new ClusterEvent.QueueUpserted(
            new QueueModel(
                "training",
                "",
                ResourceAmounts.none(),
                ResourceAmounts.none(),
                1,
                0,
                Duration.ZERO,
                Set.of(),
                LabelSelector.nothing())),
        new ClusterEvent.QueueRemoved("training"),
        new ClusterEvent.QueueDialectServed(QueueDialect.KAI),
        new ClusterEvent.StorageUpserted(new CsiDriver("disk", false), "1"),
        new ClusterEvent.StorageRemoved(CsiDriver.KIND, "", "disk"),
        new ClusterEvent.DevicesServed(),
        new ClusterEvent.DevicesUpserted(
            new DeviceClass("gpu", NOW, List.of(), List.of(), Optional.empty())),
        new ClusterEvent.DevicesRemoved(DeviceClass.KIND, "", "gpu"),
        new ClusterEvent.PolicyServed(policy()),
        new ClusterEvent.PolicyRemoved("pool"),
        new ClusterEvent.GaugeSeeded("pool", "WaterLevel", "cluster", "Pack"),
        new ClusterEvent.UsageReported(List.of()),
        new ClusterEvent.DefaultPolicyChanged("pool"),
        new ClusterEvent.ServerVersionSeen(37),
        new ClusterEvent.PodAssumed(POD, "n1", List.of(), List.of()),
        new ClusterEvent.BindingConfirmed(POD),
        new ClusterEvent.BindingFailed(POD, "conflict", true),
        new ClusterEvent.EvictionFailed(POD, "budget"),
        new ClusterEvent.Advised(POD, 1, new Advice.Unavailable("no answer")),
        new ClusterEvent.Malformed(new Refusal("Node", "n2", "no quantity")),
        new ClusterEvent.Ignored("ConfigMap"));
  }

  private static CompiledPolicy policy() {
    return switch (new PolicyCompiler().compile("pool", "1", SchedulingPolicySpec.defaults())) {
      case PolicyCompilation.Compiled(var policy) -> policy;
      case PolicyCompilation.Invalid invalid ->
          throw new IllegalStateException(invalid.problems().toString());
    };
  }

  @Test
  void theSamples_haveOneEventOfEachType() {
    List<Class<?>> tested = events().<Class<?>>map(ClusterEvent::getClass).toList();
    List<Class<?>> all = List.of(ClusterEvent.class.getPermittedSubclasses());

    assertThat(tested).containsExactlyInAnyOrderElementsOf(all);
  }

  @ParameterizedTest
  @MethodSource("events")
  void anEventOnWhichTheEngineFailed_isReported_andNotSentToTheNextEngine(ClusterEvent event) {
    Refusal report = excluded.add(event, new IllegalStateException("a bug"), NOW);

    assertThat(report.kind()).isNotBlank();
    assertThat(report.reason()).endsWith("a bug");
    if (!event.isRemoval() && !event.isResult()) {
      assertThat(excluded.contains(event)).isTrue();
      assertThat(excluded.instead(event, NOW)).isNotEqualTo(Optional.of(event));
      assertThat(excluded.instead(event, NOW.plusSeconds(1)))
          .as("the same state, after the pause")
          .isNotEqualTo(Optional.of(event));
    }
  }

  @Test
  void anObjectThatHasChanged_isPassedOn_onceItsPauseIsOver() {
    ClusterEvent poisoned = new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 2));
    ClusterEvent mended = new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 3));
    excluded.add(poisoned, new IllegalStateException("a bug"), NOW);

    assertThat(excluded.instead(mended, NOW)).isEmpty();
    assertThat(excluded.due(NOW)).isEmpty();
    assertThat(excluded.due(NOW.plusSeconds(1))).containsExactly(mended);
    assertThat(excluded.instead(mended, NOW.plusSeconds(1))).contains(mended);
    excluded.taken(mended);
    assertThat(excluded.instead(poisoned, NOW.plusSeconds(1))).contains(poisoned);
  }

  @Test
  void groupsOfTwoDialectsWithOneName_areDifferentObjects() {
    ClusterEvent volcano = new ClusterEvent.PodGroupUpserted(GroupModel.of(GROUP, 2));
    ClusterEvent kubernetes =
        new ClusterEvent.PodGroupUpserted(
            GroupModel.of(new GroupRef(GroupDialect.KUBERNETES, "team", "train"), 2));
    excluded.add(volcano, new IllegalStateException("a bug"), NOW);

    assertThat(excluded.instead(kubernetes, NOW)).contains(kubernetes);
  }

  private static ClusterEvent pending() {
    return new ClusterEvent.PodUpserted(Pods.pod("web").ref(POD).build());
  }

  @Test
  void aPodOnWhosePlacementTheEngineFailed_isWithheld_andClosesTheNode() {
    ClusterEvent assumed = new ClusterEvent.PodAssumed(POD, "n1", List.of(), List.of());
    excluded.add(assumed, new IllegalStateException("a bug"), NOW);

    assertThat(excluded.instead(pending(), NOW)).isEmpty();
    assertCloses(assumed, "n1");
    assertThat(excluded.due(NOW.plusSeconds(1))).containsExactly(pending());
  }

  @Test
  void theTimeBetweenAPodAndItsPlacement_doesNotMatter() {
    ClusterEvent assumed = new ClusterEvent.PodAssumed(POD, "n1", List.of(), List.of());
    excluded.add(POD, new IllegalStateException("a bug"), NOW);

    assertThat(excluded.instead(pending(), NOW)).isEmpty();
    assertThat(excluded.instead(assumed, NOW.plusSeconds(9)))
        .get()
        .isInstanceOf(ClusterEvent.Malformed.class);
    assertThat(excluded.instead(pending(), NOW.plusSeconds(9))).contains(pending());
    assertThat(excluded.instead(assumed, NOW.plusSeconds(9))).contains(assumed);
  }

  @Test
  void anExcludedPodWhoseBindingHasFailed_leavesItsNode_andIsTriedAgain() {
    ClusterEvent failed = new ClusterEvent.BindingFailed(POD, "conflict", true);
    excluded.add(pending(), new IllegalStateException("a bug"), NOW);
    assertThat(excluded.instead(pending(), NOW)).isEmpty();
    assertCloses(new ClusterEvent.PodAssumed(POD, "n1", List.of(), List.of()), "n1");

    assertThat(excluded.instead(failed, NOW)).contains(new ClusterEvent.PodRemoved(POD));
    assertThat(excluded.instead(failed, NOW)).contains(failed);
    assertThat(excluded.due(NOW)).isEmpty();
    assertThat(excluded.due(NOW.plusSeconds(1))).containsExactly(pending());
  }

  private void assertCloses(ClusterEvent assumed, String node) {
    assertThat(excluded.instead(assumed, NOW))
        .hasValueSatisfying(
            instead ->
                assertThat(((ClusterEvent.Malformed) instead).unreadable().orElseThrow().nodeName())
                    .isEqualTo(node));
  }
}
