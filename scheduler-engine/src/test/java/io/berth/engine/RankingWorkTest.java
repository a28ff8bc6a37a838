package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.AffinityTerm;
import io.berth.engine.model.LabelSelector;
import io.berth.engine.model.PodAffinity;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.SpreadConstraint;
import io.berth.engine.model.WeightedAffinityTerm;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The cost of one more pod of a known shape hardly depends on the number of nodes. */
class RankingWorkTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private static final String HOST = "kubernetes.io/hostname";
  private static final Map<String, String> APP = Map.of("app", "web");
  private static final int PODS = 100;

  /** Two levels of 64: the best node, two more, and the cost of removing and adding them. */
  private static final int MOST_READS = 1_200;

  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private enum Kind {
    PLAIN,
    /** Each pod changes the raw scores of a third of the nodes. */
    SPREAD_OVER_ZONES,
    /** Each pod changes the verdict on a third of the nodes. */
    SPREAD_EVENLY_OVER_ZONES,
    /** Each pod changes the raw scores of a third of the nodes, and the scale for all. */
    NEAR_OTHERS_IN_THE_ZONE,
    /** Each pod changes the raw score of one node, and usually the scale for all. */
    NEAR_OTHERS_ON_THE_NODE
  }

  private static PodModel pod(Kind kind, String name) {
    Pods pod = Pods.pod(name).policy("test").milliCpu(100).labels(APP);
    LabelSelector own = LabelSelector.ofPairs(APP);
    return switch (kind) {
      case PLAIN -> pod.build();
      case SPREAD_OVER_ZONES ->
          pod.spread(List.of(new SpreadConstraint(1, ZONE, false, own, 1, true, false))).build();
      case SPREAD_EVENLY_OVER_ZONES ->
          pod.spread(List.of(new SpreadConstraint(1, ZONE, true, own, 1, true, false))).build();
      case NEAR_OTHERS_IN_THE_ZONE -> pod.affinity(near(own, ZONE)).build();
      case NEAR_OTHERS_ON_THE_NODE -> pod.affinity(near(own, HOST)).build();
    };
  }

  private static PodAffinity near(LabelSelector own, String key) {
    AffinityTerm term = new AffinityTerm(Set.of("default"), LabelSelector.nothing(), own, key);
    return new PodAffinity(
        List.of(), List.of(), List.of(new WeightedAffinityTerm(10, term)), List.of());
  }

  private Engine engine(int nodes) {
    Engine engine = new Engine(EngineOptions.defaults());
    engine.apply(
        new ClusterEvent.PolicyServed(TestCluster.policy("test", SchedulingPolicySpec.defaults())),
        now);
    for (int i = 0; i < nodes; i++) {
      engine.apply(
          new ClusterEvent.NodeUpserted(
              Nodes.node("n" + i).label(ZONE, "z" + i % 3).milliCpu(64_000).build()),
          now);
    }
    return engine;
  }

  private void place(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    assertThat(engine.next(now)).isInstanceOf(Decision.Placed.class);
    engine.apply(new ClusterEvent.BindingConfirmed(pod.ref()), now);
  }

  /** Returns the number of totals read and nodes examined for a pod. */
  private long work(Kind kind, int nodes) {
    Engine engine = engine(nodes);
    for (int i = 0; i < 10; i++) {
      place(engine, pod(kind, "first-" + i));
    }
    long before = work(engine);
    for (int i = 0; i < PODS; i++) {
      place(engine, pod(kind, "pod-" + i));
    }
    return (work(engine) - before) / PODS;
  }

  @Test
  void theFirstPodNearOthers_isNotScoredOnEveryNode_ifThereAreNone() {
    int nodes = 1_000;
    Engine engine = engine(nodes);
    place(engine, pod(Kind.PLAIN, "first"));
    long before = engine.plans().evaluations();
    PodModel nearOthers =
        Pods.from(pod(Kind.NEAR_OTHERS_ON_THE_NODE, "second"))
            .affinity(near(LabelSelector.ofPairs(Map.of("app", "unknown")), HOST))
            .build();
    place(engine, nearOthers);

    // The second plan has the same filters and scorers, which are counted for both, and one more.
    assertThat(engine.plans().evaluations() - 2 * before).isLessThan(nodes);
  }

  @Test
  void aPodWithOneFeasibleNode_isScoredOnThisNodeOnly() {
    int nodes = 1_000;

    assertThat(evaluationsWithFeasible(1, nodes))
        .isLessThan(evaluationsWithFeasible(2, nodes) - nodes);
  }

  /** Returns the number of evaluations for the first pod, which fits on some nodes only. */
  private long evaluationsWithFeasible(int feasible, int nodes) {
    Engine engine = engine(nodes - feasible);
    for (int i = 0; i < feasible; i++) {
      engine.apply(
          new ClusterEvent.NodeUpserted(Nodes.node("large" + i).milliCpu(128_000).build()), now);
    }
    place(engine, Pods.pod("pod").policy("test").milliCpu(100_000).build());
    return engine.plans().evaluations();
  }

  private static long work(Engine engine) {
    return engine.plans().reads() + engine.plans().looks() + engine.plans().evaluations();
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void aPodOfAKnownShape_costsHardlyMoreOnTenTimesTheNodes(Kind kind) {
    long onFew = work(kind, 1_000);
    long onMany = work(kind, 10_000);

    assertThat(onFew).isLessThan(MOST_READS);
    assertThat(onMany).isLessThan(Math.min(MOST_READS, 2 * onFew));
  }
}
