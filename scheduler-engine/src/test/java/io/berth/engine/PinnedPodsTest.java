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
import io.berth.engine.model.NodeSelection;
import io.berth.engine.model.NodeTerm;
import io.berth.engine.model.PodModel;
import io.berth.engine.model.Requirement;
import io.berth.rules.label.LabelOperator;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Pods that name one node share answers with pods that name others, without an effect on decisions.
 * A pod that names its node twice has the same meaning, and shares nothing.
 */
class PinnedPodsTest {
  private static final int NODES = 8;

  private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final CompiledPolicy policy = TestCluster.policy("test", SchedulingPolicySpec.defaults());

  private Engine engine(List<NodeModel> nodes, List<PodModel> bound) {
    Engine engine =
        new Engine(
            EngineOptions.defaults()
                .withTieOrder(EngineOptions.TieOrder.BY_NAME)
                .recordingEverything());
    engine.apply(new ClusterEvent.PolicyServed(policy), now);
    nodes.forEach(node -> engine.apply(new ClusterEvent.NodeUpserted(node), now));
    bound.forEach(pod -> engine.apply(new ClusterEvent.PodUpserted(pod), now));
    return engine;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void aPodThatNamesOneNode_isDecidedOnAsIfItSharedNothing(int seed) {
    Random random = new Random(seed);
    RandomCluster objects = new RandomCluster(random);
    List<NodeModel> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(objects.node(i));
    }
    List<PodModel> bound = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      bound.add(Pods.from(objects.pod()).on("n" + random.nextInt(NODES)).build());
    }
    Engine shared = engine(nodes, bound);
    Engine apart = engine(nodes, bound);
    for (int i = 0; i < 40; i++) {
      PodModel pod = objects.pod();
      String node = "n" + random.nextInt(NODES + 1);

      Map<String, Object> expected = answer(apart, naming(pod, node, 2));

      assertThat(answer(shared, naming(pod, node, 1)))
          .as("seed %d, pod %d on %s", seed, i, node)
          .isEqualTo(expected);
    }
  }

  /** Returns the pod, with every required term naming the node this many times. */
  private static PodModel naming(PodModel pod, String node, int times) {
    List<Requirement> fields = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      fields.add(new Requirement("metadata.name", LabelOperator.IN, List.of(node)));
    }
    NodeSelection nodes = pod.spec().nodes();
    List<NodeTerm> terms =
        nodes.required().orElse(List.of(new NodeTerm(List.of(), List.of(), false))).stream()
            .map(term -> new NodeTerm(term.expressions(), fields, false))
            .toList();
    return Pods.from(pod)
        .nodes(new NodeSelection(nodes.nodeSelector(), Optional.of(terms), nodes.preferred()))
        .build();
  }

  private Map<String, Object> answer(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    Outcome outcome = engine.next(now);
    assertThat(outcome).isInstanceOf(Decision.class);
    DecisionRecord record = ((Decision) outcome).record();
    engine.apply(new ClusterEvent.PodRemoved(pod.ref()), now);
    Map<String, NodeScore> scores = new TreeMap<>();
    record.bestNodes().forEach(node -> scores.put(node.node(), node));
    Map<String, Object> candidates = new TreeMap<>();
    record.preemptionCandidates().forEach(candidate -> candidates.put(candidate.node(), candidate));
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("message", record.message());
    answer.put("verdicts", record.verdicts());
    answer.put("scores", scores);
    answer.put("candidates", candidates);
    return answer;
  }
}
