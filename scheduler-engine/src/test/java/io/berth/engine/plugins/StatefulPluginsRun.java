package io.berth.engine.plugins;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.Engine;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.decision.DecisionRecord;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.framework.CompiledPolicy;
import io.berth.engine.model.NodeModel;
import io.berth.engine.model.PodModel;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * A random series of nodes, pods, and departures in an engine whose policy has the plugins of
 * docs/writing-a-stateful-plugin.md. After each step, a pod is decided in this engine and in a new
 * one with the same cluster.
 */
final class StatefulPluginsRun {
  private static final int NODES = 12;
  private static final int PODS = 50;

  private final CompiledPolicy policy;
  private final Random random;
  private final Engine living;
  private final Map<String, NodeModel> nodes = new TreeMap<>();
  private final Map<String, PodModel> bound = new TreeMap<>();
  private final Set<String> modes = new HashSet<>();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private int refused;
  private int tried;
  private int probes;

  StatefulPluginsRun(CompiledPolicy policy, Random random) {
    this.policy = policy;
    this.random = random;
    this.living = engine(List.of());
  }

  private Engine engine(List<GaugeReading> gauges) {
    Engine engine =
        new Engine(
            EngineOptions.defaults()
                .withTieOrder(EngineOptions.TieOrder.BY_NAME)
                .recordingEverything());
    engine.apply(new ClusterEvent.PolicyServed(policy), now);
    gauges.forEach(gauge -> engine.apply(gauge.asSeed(), now));
    return engine;
  }

  /** Returns the modes that the gauge has had. */
  Set<String> modes() {
    return modes;
  }

  /** Returns the number of verdicts against a node. */
  int refused() {
    return refused;
  }

  /** Returns the number of nodes on which evictions were tried. */
  int tried() {
    return tried;
  }

  /** Changes a few objects, and compares a decision. */
  void step() {
    for (int i = random.nextInt(4); i >= 0; i--) {
      change();
    }
    now = now.plus(Duration.ofSeconds(1));
    List<GaugeReading> before = living.gauges();
    PodModel probe = madeNow("probe-" + probes++).priority(random.nextInt(3) == 0 ? 10 : 0).build();
    Decision actual = decide(living, probe);
    Engine rebuilt = engine(before);
    nodes.values().forEach(node -> rebuilt.apply(new ClusterEvent.NodeUpserted(node), now));
    bound.values().forEach(pod -> rebuilt.apply(new ClusterEvent.PodUpserted(pod), now));
    Decision expected = decide(rebuilt, probe);

    assertThat(described(actual)).isEqualTo(described(expected));
    assertThat(living.gauges()).isEqualTo(rebuilt.gauges());
    living.gauges().forEach(gauge -> modes.add(gauge.reading().mode()));
    tried += actual.record().preemptionCandidates().size();
    refused += actual.record().verdicts().getOrDefault("PodsPerDomain", Map.of()).size();
    keepOrRemove(probe, actual);
  }

  private void change() {
    String node = "n" + random.nextInt(NODES);
    String pod = "p" + random.nextInt(PODS);
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        NodeModel model = node(node);
        nodes.put(node, model);
        living.apply(new ClusterEvent.NodeUpserted(model), now);
      }
      case 2 -> {
        if (nodes.remove(node) != null) {
          living.apply(new ClusterEvent.NodeRemoved(node), now);
        }
      }
      case 3, 4 -> {
        if (!bound.containsKey(pod) && nodes.containsKey(node)) {
          PodModel model = madeNow(pod).on(node).build();
          bound.put(pod, model);
          living.apply(new ClusterEvent.PodUpserted(model), now);
        }
      }
      default -> {
        // In turns, the cluster becomes full, and idle again.
        int most = probes / 30 % 2 == 0 ? 1 : 8;
        for (int i = random.nextInt(most); i >= 0 && !bound.isEmpty(); i--) {
          List<String> names = List.copyOf(bound.keySet());
          PodModel gone = bound.remove(names.get(random.nextInt(names.size())));
          living.apply(new ClusterEvent.PodRemoved(gone.ref()), now);
        }
      }
    }
  }

  private NodeModel node(String name) {
    Nodes node = Nodes.node(name).allocatable("pods", 1 + random.nextInt(6));
    if (random.nextInt(20) > 0) {
      node.label("rack", "r" + random.nextInt(3));
    }
    return node.build();
  }

  /** Returns a pod with a time of its own: victims of equal age have no order. */
  private Pods madeNow(String name) {
    now = now.plusMillis(1);
    return Pods.pod(name)
        .namespace(random.nextBoolean() ? "team-a" : "team-b")
        .policy("page")
        .createdAt(now)
        .startedAt(Optional.of(now));
  }

  private Decision decide(Engine engine, PodModel pod) {
    engine.apply(new ClusterEvent.PodUpserted(pod), now);
    return (Decision) engine.next(now);
  }

  private static Map<String, Object> described(Decision decision) {
    DecisionRecord record = decision.record();
    Map<String, Object> scores = new TreeMap<>();
    record.bestNodes().forEach(node -> scores.put(node.node(), node));
    Map<String, Object> candidates = new TreeMap<>();
    record.preemptionCandidates().forEach(candidate -> candidates.put(candidate.node(), candidate));
    return Map.of(
        "verdicts",
        record.verdicts(),
        "scores",
        scores,
        "candidates",
        candidates,
        "message",
        record.message());
  }

  /** Lets half of the placed pods stay. */
  private void keepOrRemove(PodModel probe, Decision decision) {
    if (decision instanceof Decision.Placed placed && random.nextBoolean()) {
      PodModel model = Pods.from(probe).on(placed.nodeName()).build();
      bound.put(probe.ref().name(), model);
      living.apply(new ClusterEvent.BindingConfirmed(probe.ref()), now);
      living.apply(new ClusterEvent.PodUpserted(model), now);
    } else {
      living.apply(new ClusterEvent.PodRemoved(probe.ref()), now);
    }
  }
}
