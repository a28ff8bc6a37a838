package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import io.berth.engine.policy.PolicyCompilation;
import io.berth.engine.policy.PolicyCompiler;
import io.berth.engine.whatif.Hypothesis;
import io.berth.engine.whatif.Mirror;
import io.berth.engine.whatif.PlacementAnswer;
import io.berth.engine.whatif.PlacementQuestion;
import io.berth.engine.whatif.WhatIf;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * On random clusters, the answer to a what-if question is what an engine then decides: the same
 * node, scores, rejections, and victims. One mirror answers all questions of a run, so that what
 * one question leaves behind would falsify the next.
 */
class WhatIfEqualsEngineTest {
  private static final int NODES = 5;
  private static final int STEPS = 150;
  private static final EngineOptions OPTIONS =
      EngineOptions.defaults().withTieOrder(EngineOptions.TieOrder.BY_NAME).recordingEverything();

  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();
  private final Mirror mirror = new Mirror(OPTIONS);

  /** A mirror in which nodes with equal scores take turns, as in production. */
  private final Mirror inTurns =
      new Mirror(OPTIONS.withTieOrder(EngineOptions.TieOrder.ROUND_ROBIN));

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int evictions;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void answer_isWhatTheEngineThenDecides(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    apply(new ClusterEvent.PolicyServed(policy()));
    for (int i = 0; i < NODES; i++) {
      put(objects.node(i));
    }
    for (int step = 0; step < STEPS; step++) {
      now = now.plusSeconds(1);
      change(random, objects);
      PodModel pod = objects.pod();
      Hypothesis hypothesis = hypothesis(random);
      PlacementAnswer answer =
          WhatIf.answer(mirror, new PlacementQuestion(pod, 1, false, hypothesis), now, () -> false);
      String when = "seed " + seed + ", step " + step;
      assertThat(answer.truncated()).as(when).isFalse();
      assertThat(asked(answer)).as(when).isEqualTo(decided(pod, hypothesis));
      assertIsOneOfEqualNodes(answer, pod, hypothesis, when);
      keep(pod, answer, hypothesis, random);
    }
    assertThat(evictions).as("evictions that were compared").isPositive();
  }

  private void apply(ClusterEvent event) {
    mirror.apply(event, now);
    inTurns.apply(event, now);
  }

  /** Asks again where nodes take turns: the node is one of those with the best score. */
  private void assertIsOneOfEqualNodes(
      PlacementAnswer byName, PodModel pod, Hypothesis hypothesis, String when) {
    PlacementAnswer answer =
        WhatIf.answer(inTurns, new PlacementQuestion(pod, 1, false, hypothesis), now, () -> false);
    assertThat(answer.placements()).as(when).hasSameSizeAs(byName.placements());
    if (byName.placements().isEmpty() || !byName.placements().getFirst().victims().isEmpty()) {
      return; // the victims are of one of several equal nodes, too
    }
    List<NodeScore> scores = byName.placements().getFirst().record().bestNodes();
    double best = scores.stream().mapToDouble(NodeScore::total).max().orElseThrow();
    assertThat(scores)
        .as(when)
        .filteredOn(score -> score.total() == best)
        .extracting(NodeScore::node)
        .contains(answer.placements().getFirst().node());
  }

  private static CompiledPolicy policy() {
    PolicyCompilation compiled =
        new PolicyCompiler().compile("test", "1", SchedulingPolicySpec.of(List.of(), List.of()));
    return ((PolicyCompilation.Compiled) compiled).policy();
  }

  private void change(Random random, RandomCluster objects) {
    switch (random.nextInt(8)) {
      case 0 -> put(objects.node(random.nextInt(NODES)));
      case 1 -> {
        if (!bound.isEmpty()) {
          remove(List.copyOf(bound.values()).get(random.nextInt(bound.size())));
        }
      }
      default -> {
        // the pods that are placed change enough
      }
    }
  }

  /** Returns suppositions that another engine can be built with. */
  private Hypothesis hypothesis(Random random) {
    Set<String> removed = new HashSet<>();
    List<PodRef> pods = new ArrayList<>();
    List<NodeModel> added = new ArrayList<>();
    if (random.nextInt(4) == 0) {
      removed.add("n" + random.nextInt(NODES));
    }
    if (random.nextInt(4) == 0) {
      added.add(Hypothesis.nodeLike(nodes.get("n" + random.nextInt(NODES)), "added"));
    }
    if (random.nextInt(4) == 0) {
      bound.values().stream().limit(2).map(PodModel::ref).forEach(pods::add);
    }
    // Pods of removed nodes are placed again, so these are removed here.
    bound.values().stream()
        .filter(pod -> removed.contains(pod.nodeName()))
        .map(PodModel::ref)
        .filter(pod -> !pods.contains(pod))
        .forEach(pods::add);
    return new Hypothesis(added, removed, Set.of(), pods, Optional.empty());
  }

  private void keep(PodModel pod, PlacementAnswer answer, Hypothesis hypothesis, Random random) {
    if (hypothesis.equals(Hypothesis.none())
        && !answer.placements().isEmpty()
        && random.nextInt(4) > 0) {
      PlacementAnswer.Placement placed = answer.placements().getFirst();
      placed.victims().forEach(victim -> remove(bound.get(victim.uid())));
      PodModel placedPod = Pods.from(pod).on(placed.node()).build();
      bound.put(pod.ref().uid(), placedPod);
      apply(new ClusterEvent.PodUpserted(placedPod));
    }
  }

  private void put(NodeModel node) {
    nodes.put(node.name(), node);
    apply(new ClusterEvent.NodeUpserted(node));
  }

  private void remove(PodModel pod) {
    bound.remove(pod.ref().uid());
    apply(new ClusterEvent.PodRemoved(pod.ref()));
  }

  private static Map<String, Object> asked(PlacementAnswer answer) {
    if (answer.placements().isEmpty()) {
      PlacementAnswer.NotPlaced not = answer.notPlaced().orElseThrow();
      return described("", List.of(), not.message(), not.record());
    }
    PlacementAnswer.Placement placed = answer.placements().getFirst();
    return described(placed.node(), placed.victims(), placed.record().message(), placed.record());
  }

  private static Map<String, Object> described(
      String node, List<PodRef> victims, String message, DecisionRecord record) {
    return Map.of(
        "node", node,
        "victims", victims,
        "message", message,
        "rejections", record.rejections().stream().map(Object::toString).sorted().toList(),
        "best", Set.copyOf(record.bestNodes()), // equal nodes are in the order of their creation
        "verdicts", record.verdicts(),
        "feasible", record.feasibleNodes());
  }

  /** Returns what a new engine decides, whose evictions are carried out. */
  private Map<String, Object> decided(PodModel pod, Hypothesis hypothesis) {
    Engine engine = new Engine(OPTIONS);
    engine.apply(new ClusterEvent.PolicyServed(policy()), now);
    nodes.values().stream()
        .filter(node -> !hypothesis.removedNodes().contains(node.name()))
        .forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), now));
    hypothesis.addedNodes().forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), now));
    bound.values().stream()
        .filter(other -> !hypothesis.removedPods().contains(other.ref()))
        .forEach(other -> engine.apply(new ClusterEvent.PodUpserted(other), now));
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    List<PodRef> victims = new ArrayList<>();
    Instant time = now;
    for (int attempt = 0; attempt < 10; attempt++) {
      Outcome outcome = engine.next(time);
      switch (outcome) {
        case Decision.Placed placed -> {
          return described(placed.nodeName(), victims, placed.record().message(), placed.record());
        }
        case Decision.Unschedulable rejected -> {
          return described("", victims, rejected.message(), rejected.record());
        }
        case Decision.Nominated nominated -> {
          for (PodRef victim : nominated.victims()) {
            victims.add(victim);
            evictions++;
            engine.apply(new ClusterEvent.PodRemoved(victim), time);
          }
        }
        default -> time = time.plus(Duration.ofSeconds(1));
      }
    }
    throw new IllegalStateException("the pod is not decided");
  }
}
