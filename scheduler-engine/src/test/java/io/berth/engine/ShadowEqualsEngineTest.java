package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.api.ShadowDecision;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.framework.Shadow;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * On random clusters, an engine with a shadow decides as one without, and its shadow selects what a
 * new engine with the shadow's policy decides.
 */
class ShadowEqualsEngineTest {
  private static final int NODES = 6;
  private static final int PODS = 40;
  private static final int SEEDS = 30;
  private static final String USUAL = "{\"preemption\": {\"enabled\": false}}";
  private static final String ANYWHERE =
      """
      {"preemption": {"enabled": false},
       "predicates": [{"name": "TaintToleration", "enabled": false},
                      {"name": "InterPodAffinity", "enabled": false},
                      {"name": "PodTopologySpread", "enabled": false}]}
      """;
  private static final String PACKS =
      """
      {"priorities": [
         {"name": "NodeResourcesFit", "weight": 5,
          "args": {"scoringStrategy": {"type": "MostAllocated"}}}],
       "predicates": [{"name": "TaintToleration", "enabled": false}]}
      """;
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME);

  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Set<Result> seen = EnumSet.noneOf(Result.class);

  @Test
  void shadows_selectWhatEnginesDecide_andChangeNothing() {
    for (int seed = 1; seed <= SEEDS; seed++) {
      check(seed);
    }
    assertThat(seen)
        .containsExactlyInAnyOrder(
            Result.SAME,
            Result.ELSEWHERE,
            Result.EVICTING,
            Result.FITS_NOWHERE,
            Result.FITS_INSTEAD);
  }

  private void check(int seed) {
    RandomCluster objects = new RandomCluster(new Random(seed));
    String own = seed % 2 == 0 ? USUAL : ANYWHERE;
    List<NodeModel> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(objects.node(i));
    }
    Engine alone = engine(TestCluster.policy("test", own), nodes);
    Engine compared =
        engine(
            TestCluster.policy("test", own)
                .withShadow(Optional.of(new Shadow("packs", 100, false))),
            nodes);
    compared.apply(new ClusterEvent.PolicyServed(TestCluster.policy("packs", PACKS)), now);
    List<PodModel> bound = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      PodModel pod = objects.pod();
      ClusterEvent created = new ClusterEvent.PodUpserted(pod);
      alone.apply(created, now);
      compared.apply(created, now);
      Decision decision = (Decision) alone.next(now);
      assertThat(TestCluster.describe((Decision) compared.next(now)))
          .as("seed %d, pod %d", seed, i)
          .isEqualTo(TestCluster.describe(decision));
      ShadowDecision shadow = compared.takeShadowDecisions().getFirst();
      seen.add(shadow.result());
      assertThat(List.of(shadow.result(), shadow.nodeName()))
          .as("seed %d, pod %d", seed, i)
          .isEqualTo(expected(pod, decision, nodes, bound));
      ClusterEvent after = new ClusterEvent.PodRemoved(pod.ref());
      if (decision instanceof Decision.Placed placed) {
        PodModel now = Pods.from(pod).on(placed.nodeName()).build();
        bound.add(now);
        after = new ClusterEvent.PodUpserted(now);
      }
      alone.apply(after, now);
      compared.apply(after, now);
    }
  }

  private List<Object> expected(
      PodModel pod, Decision decision, List<NodeModel> nodes, List<PodModel> bound) {
    Engine engine = engine(TestCluster.policy("test", PACKS), nodes);
    bound.forEach(other -> engine.apply(new ClusterEvent.PodUpserted(other), now));
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    Outcome outcome = engine.next(now);
    if (decision instanceof Decision.Placed placed) {
      return switch (outcome) {
        case Decision.Placed other ->
            List.of(
                other.nodeName().equals(placed.nodeName()) ? Result.SAME : Result.ELSEWHERE,
                other.nodeName());
        case Decision.Nominated other -> List.of(Result.EVICTING, other.nodeName());
        default -> List.of(Result.FITS_NOWHERE, "");
      };
    }
    return outcome instanceof Decision.Placed other
        ? List.of(Result.FITS_INSTEAD, other.nodeName())
        : List.of(Result.SAME, "");
  }

  private Engine engine(CompiledPolicy policy, List<NodeModel> nodes) {
    Engine engine = new Engine(OPTIONS);
    engine.apply(new ClusterEvent.PolicyServed(policy), now);
    engine.apply(new ClusterEvent.DefaultPolicyChanged("test"), now);
    nodes.forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), now));
    return engine;
  }
}
