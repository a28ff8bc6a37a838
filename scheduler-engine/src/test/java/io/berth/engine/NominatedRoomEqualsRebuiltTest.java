package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.CardChoice;
import io.berth.crds.policy.GpuPlacement;
import io.berth.crds.policy.GpuWorkloadShape;
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
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cached room next to nominated pods equals that of a new engine, after any sequence of changes of
 * nodes, pods and nominations.
 */
class NominatedRoomEqualsRebuiltTest {
  private static final int STEPS = 150;
  private static final int NODES = 8;

  // The workload mix that was learned from arrived pods is not part of the cluster state.
  private final CompiledPolicy policy =
      TestCluster.policy(
          "test",
          SchedulingPolicySpec.defaults()
              .withGpu(
                  new GpuPlacement(
                      CardChoice.LEAST_FRAGMENTATION,
                      List.of(new GpuWorkloadShape(1, 400L, null, 1, 500, List.of())))));
  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> pods = new LinkedHashMap<>();
  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Engine living = engine();
  private int besideNominations;

  private static Engine engine() {
    return new Engine(
        EngineOptions.defaults()
            .withTieOrder(EngineOptions.TieOrder.BY_NAME)
            .recordingEverything());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void nominationsAreHonoredAsByANewEngine(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    living.apply(new ClusterEvent.PolicyServed(policy), now);
    for (int i = 0; i < NODES; i++) {
      put(objects.node(i));
    }
    List<PodModel> kinds = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      kinds.add(objects.pod());
    }
    for (int step = 0; step < STEPS; step++) {
      change(random, objects);
      PodModel kind = kinds.get(random.nextInt(kinds.size()));
      PodModel probe =
          Pods.from(kind)
              .ref(new PodRef(kind.ref().namespace(), "probe-" + step, "uid-probe-" + step))
              .neverPreempts(true)
              .build();
      compare(probe, "seed " + seed + ", step " + step);
    }
    assertThat(besideNominations).as("nodes that were rejected for their promises").isPositive();
  }

  private void put(NodeModel node) {
    nodes.put(node.name(), node);
    living.apply(new ClusterEvent.NodeUpserted(node), now);
  }

  private void put(PodModel pod) {
    pods.put(pod.ref().uid(), pod);
    living.apply(new ClusterEvent.PodUpserted(pod), now);
  }

  private void change(Random random, RandomCluster objects) {
    List<PodModel> known = new ArrayList<>(pods.values());
    PodModel pod = known.isEmpty() ? null : known.get(random.nextInt(known.size()));
    String node = "n" + random.nextInt(NODES);
    switch (random.nextInt(8)) {
      case 0 -> put(objects.node(random.nextInt(NODES)));
      case 1, 2 -> put(nominated(objects.pod(), node, random));
      case 3 -> put(Pods.from(objects.pod()).on(node).build());
      case 4, 5 -> {
        if (pod != null) {
          pods.remove(pod.ref().uid());
          living.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
        }
      }
      case 6 -> {
        if (pod != null && pod.nodeName().isEmpty()) {
          put(nominated(Pods.from(pod).labels(objects.labels()).build(), node, random));
        }
      }
      default -> {
        // Nothing happens between two pods.
      }
    }
  }

  /** Returns a gated pod with a nomination that someone else made. */
  private static PodModel nominated(PodModel pod, String node, Random random) {
    return Pods.from(pod)
        .gates("wait")
        .priority(5 + random.nextInt(20))
        .nominatedNode(node)
        .build();
  }

  private void compare(PodModel probe, String when) {
    Engine rebuilt = engine();
    rebuilt.apply(new ClusterEvent.PolicyServed(policy), now);
    nodes.values().forEach(node -> rebuilt.apply(new ClusterEvent.NodeUpserted(node), now));
    pods.values().forEach(pod -> rebuilt.apply(new ClusterEvent.PodUpserted(pod), now));

    assertThat(answer(living, probe)).as(when).isEqualTo(answer(rebuilt, probe));

    besideNominations += Math.toIntExact(rebuilt.plans().nominatedTrials());
    living.apply(new ClusterEvent.PodRemoved(probe.ref()), now);
  }

  private Map<String, Object> answer(Engine engine, PodModel probe) {
    engine.apply(new ClusterEvent.PodUpserted(probe), now);
    Outcome outcome = engine.next(now);
    assertThat(outcome).isInstanceOf(Decision.class);
    DecisionRecord record = ((Decision) outcome).record();
    Map<String, NodeScore> scores = new TreeMap<>();
    record.bestNodes().forEach(node -> scores.put(node.node(), node));
    return Map.of("message", record.message(), "verdicts", record.verdicts(), "scores", scores);
  }
}
