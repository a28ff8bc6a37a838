package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.PolicyAnswer;
import io.berth.engine.whatif.PolicyEffect;
import io.berth.engine.whatif.PolicyQuestion;
import io.berth.engine.whatif.PolicyTrial;
import io.berth.engine.whatif.WhatIf;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On random clusters, what a changed policy would do with each pod is what new engines decide
 * without that pod, under the policy as it is and as it would be.
 */
class PolicyTrialEqualsEngineTest {
  private static final int NODES = 5;
  private static final int PODS = 25;
  private static final String REVIEWED = "(of the review)";
  private static final String PACKS =
      """
      {"priorities": [
         {"name": "NodeResourcesFit", "weight": 5,
          "args": {"scoringStrategy": {"type": "MostAllocated"}}}],
       "predicates": [{"name": "PodTopologySpread", "enabled": false}]}
      """;
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME);

  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> pods = new TreeMap<>();
  private final Mirror mirror = new Mirror(OPTIONS);
  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void effects_areThoseThatEnginesDecide(int seed) {
    fill(new RandomCluster(new Random(seed)));

    PolicyAnswer packs = ask(TestCluster.policy(REVIEWED, PACKS));
    assertThat(packs.pods()).isEqualTo(pods.size());
    assertThat(packs.tried()).isEqualTo(pods.size());
    Map<String, PolicyEffect> reported = new TreeMap<>();
    packs.changes().forEach(change -> reported.put(change.pod().uid(), change.effect()));
    Map<String, PolicyEffect> expected = new TreeMap<>();
    for (PodModel pod : pods.values()) {
      PolicyEffect effect = effect(pod);
      if (effect != PolicyEffect.UNCHANGED) {
        expected.put(pod.ref().uid(), effect);
      }
    }
    assertThat(reported).as("seed " + seed).isEqualTo(expected).isNotEmpty();
    assertThat(ask(TestCluster.policy(REVIEWED, "{}")).changes())
        .as("of the same policy")
        .isEmpty();
  }

  private PolicyAnswer ask(CompiledPolicy reviewed) {
    return PolicyTrial.answer(
        mirror, new PolicyQuestion("test", reviewed, "test", "", pod -> false), now, () -> false);
  }

  private void fill(RandomCluster objects) {
    mirror.apply(new ClusterEvent.PolicyServed(TestCluster.policy("test", "{}")), now);
    mirror.apply(new ClusterEvent.DefaultPolicyChanged("test"), now);
    for (int i = 0; i < NODES; i++) {
      NodeModel node = objects.node(i);
      nodes.put(node.name(), node);
      mirror.apply(new ClusterEvent.NodeUpserted(node), now);
    }
    for (int i = 0; i < PODS; i++) {
      PodModel pod = objects.pod();
      PlacementAnswer answer = WhatIf.answer(mirror, PlacementQuestion.of(pod), now, () -> false);
      if (answer.placements().isEmpty() || answer.placements().getFirst().victims().isEmpty()) {
        String node = answer.placements().isEmpty() ? "" : answer.placements().getFirst().node();
        PodModel known = Pods.from(pod).on(node).build();
        pods.put(pod.ref().uid(), known);
        mirror.apply(new ClusterEvent.PodUpserted(known), now);
      }
    }
  }

  /** The decision of an engine: a node, or none, with or without evictions. */
  private record Fate(Optional<String> node, boolean evicts) {}

  private PolicyEffect effect(PodModel pod) {
    Fate then = fate(pod, PACKS);
    if (then.equals(new Fate(Optional.of(pod.nodeName()), false))) {
      return PolicyEffect.UNCHANGED;
    }
    Fate today = fate(pod, "{}");
    if (then.node().isEmpty()) {
      return today.node().isEmpty() ? PolicyEffect.UNCHANGED : PolicyEffect.FITS_NOWHERE;
    }
    if (then.evicts() && !today.evicts()) {
      return PolicyEffect.EVICTS;
    }
    if (today.node().isEmpty()) {
      return PolicyEffect.FITS_NOW;
    }
    return today.node().equals(then.node()) ? PolicyEffect.UNCHANGED : PolicyEffect.GOES_ELSEWHERE;
  }

  private Fate fate(PodModel pod, String spec) {
    Engine engine = new Engine(OPTIONS);
    engine.apply(new ClusterEvent.PolicyServed(TestCluster.policy("test", spec)), now);
    engine.apply(new ClusterEvent.DefaultPolicyChanged("test"), now);
    nodes.values().forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), now));
    pods.values().stream()
        .filter(other -> !other.nodeName().isEmpty() && !other.ref().equals(pod.ref()))
        .forEach(other -> engine.apply(new ClusterEvent.PodUpserted(other), now));
    engine.apply(new ClusterEvent.PodUpserted(Pods.from(pod).on("").build()), now);
    boolean evicts = false;
    Instant time = now;
    for (int attempt = 0; attempt < 10; attempt++) {
      Outcome outcome = engine.next(time);
      switch (outcome) {
        case Decision.Placed placed -> {
          return new Fate(Optional.of(placed.nodeName()), evicts);
        }
        case Decision.Unschedulable _ -> {
          return new Fate(Optional.empty(), false);
        }
        case Decision.Nominated nominated -> {
          evicts = true;
          for (var victim : nominated.victims()) {
            engine.apply(new ClusterEvent.PodRemoved(victim), time);
          }
        }
        default -> time = time.plus(Duration.ofSeconds(1));
      }
    }
    throw new IllegalStateException("the pod is not decided");
  }
}
