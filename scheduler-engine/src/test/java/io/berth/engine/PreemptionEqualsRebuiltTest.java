package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.Outcome;
import io.berth.engine.decision.PreemptionCandidate;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.PodRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Preemption results that are cached for one kind of preemptor (with spread constraints, with
 * affinity, and without) equal those of a new engine with the same cluster, and the cache saves
 * work.
 */
class PreemptionEqualsRebuiltTest {
  private static final int STEPS = 150;
  private static final int NODES = 9;
  private static final int KINDS = 6;
  private static final int PREEMPTOR_PRIORITY = 1_000;

  private final CompiledPolicy policy = TestCluster.policy("test", SchedulingPolicySpec.defaults());
  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();
  private final Map<String, Map<String, String>> namespaces = new TreeMap<>();
  private final List<PodModel> kinds = new ArrayList<>();
  private final Engine living = engine();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int names;
  private long livingRuns;
  private long rebuiltRuns;

  private static Engine engine() {
    return new Engine(
        EngineOptions.defaults()
            .withTieOrder(EngineOptions.TieOrder.BY_NAME)
            .recordingEverything());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
  void whatIsRemembered_isWhatARebuiltEngineFinds(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    living.apply(new ClusterEvent.PolicyServed(policy), now);
    for (int i = 0; i < NODES; i++) {
      put(objects.node(i));
    }
    for (int i = 0; i < KINDS; i++) {
      kinds.add(preemptor(objects.pod()));
    }
    for (int i = 0; i < 6 * NODES; i++) {
      bind(random, objects.pod());
    }
    for (int step = 0; step < STEPS; step++) {
      change(random, objects);
      PodModel kind = kinds.get(random.nextInt(KINDS));
      decide(random, kind, "seed " + seed + ", step " + step);
    }
    assertThat(livingRuns).isLessThan(rebuiltRuns * 9 / 10);
  }

  /** Returns a pod that rarely fits without evictions. */
  private static PodModel preemptor(PodModel pod) {
    return Pods.from(pod)
        .priority(PREEMPTOR_PRIORITY)
        .neverPreempts(false)
        .requests(RandomCluster.requests(1_500, 1L << 30))
        .volumes(List.of())
        .build();
  }

  private void put(NodeModel node) {
    nodes.put(node.name(), node);
    living.apply(new ClusterEvent.NodeUpserted(node), now);
  }

  private void bind(Random random, PodModel pod) {
    upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), "n" + random.nextInt(NODES), false));
  }

  private void upsert(PodModel pod) {
    bound.put(pod.ref().uid(), pod);
    living.apply(new ClusterEvent.PodUpserted(pod), now);
  }

  private void change(Random random, RandomCluster objects) {
    now = now.plusMillis(10);
    List<PodModel> pods = new ArrayList<>(bound.values());
    PodModel pod = pods.get(random.nextInt(pods.size()));
    switch (random.nextInt(8)) {
      case 0 -> put(objects.node(random.nextInt(NODES)));
      case 1 -> {
        if (bound.size() > 4 * NODES) {
          bound.remove(pod.ref().uid());
          living.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
        }
      }
      case 2, 3 -> bind(random, objects.pod());
      case 4 ->
          upsert(
              RandomCluster.with(
                  pod, objects.labels(), pod.spec(), pod.nodeName(), pod.terminating()));
      case 5 -> upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), pod.nodeName(), true));
      case 6 -> {
        String name = random.nextBoolean() ? "a" : "b";
        Map<String, String> labels = Map.of("env", random.nextBoolean() ? "prod" : "dev");
        namespaces.put(name, labels);
        living.apply(new ClusterEvent.NamespaceUpserted(name, labels), now);
      }
      default -> {
        // The next preemptor starts from the same state.
      }
    }
  }

  private void decide(Random random, PodModel kind, String when) {
    Engine rebuilt = engine();
    rebuilt.apply(new ClusterEvent.PolicyServed(policy), now);
    namespaces.forEach(
        (name, labels) -> rebuilt.apply(new ClusterEvent.NamespaceUpserted(name, labels), now));
    bound.values().forEach(other -> rebuilt.apply(new ClusterEvent.PodUpserted(other), now));
    nodes.values().forEach(node -> rebuilt.apply(new ClusterEvent.NodeUpserted(node), now));

    String name = "preemptor-" + names++;
    PodModel pod =
        RandomCluster.named(kind, new PodRef(kind.ref().namespace(), name, "uid-" + name));
    long before = living.preemption().dryRuns();
    Decision actual = decision(living, pod);
    livingRuns += living.preemption().dryRuns() - before;
    Decision expected = decision(rebuilt, pod);
    rebuiltRuns += rebuilt.preemption().dryRuns();

    assertThat(describe(actual)).as(when).isEqualTo(describe(expected));
    // If several nodes are equally good, the engines may select different ones.
    switch (actual) {
      case Decision.Placed placed ->
          upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), placed.nodeName(), false));
      case Decision.Nominated nominated when random.nextBoolean() -> {
        for (PodRef victim : nominated.victims()) {
          bound.remove(victim.uid());
          living.apply(new ClusterEvent.PodRemoved(victim), now);
        }
        upsert(RandomCluster.with(pod, pod.labels(), pod.spec(), nominated.nodeName(), false));
      }
      default -> living.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
    }
  }

  private Decision decision(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    Outcome outcome = engine.next(now);
    assertThat(outcome).isInstanceOf(Decision.class);
    assertThat(((Decision) outcome).pod()).isEqualTo(pod.ref());
    return (Decision) outcome;
  }

  private static Map<String, Object> describe(Decision decision) {
    Map<String, Object> all = new TreeMap<>();
    all.put("message", decision.record().message());
    Map<String, PreemptionCandidate> candidates = new TreeMap<>();
    decision
        .record()
        .preemptionCandidates()
        .forEach(candidate -> candidates.put(candidate.node(), candidate));
    all.put("candidates", candidates);
    return all;
  }
}
