package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import io.berth.engine.model.NodeUsage;
import io.berth.engine.model.ResourceAmounts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class MostAvailableScoresTest {
  /** The time of the table's engine. */
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private static final MostAvailable CPU =
      new MostAvailable(
          Duration.ofMinutes(3),
          List.of(new WeightedResource("cpu", 1)),
          ResourceAmounts.of(Map.of(ResourceAmounts.CPU, 50L)));

  private static Pods pod(int milliCpu) {
    return Pods.pod("p").milliCpu(milliCpu);
  }

  private static Nodes of(String name) {
    return node(name).milliCpu(1_000);
  }

  private static ClusterEvent uses(String node, long milliCpu, Duration ago) {
    return new ClusterEvent.UsageReported(
        List.of(
            new NodeUsage(
                node,
                NOW.minus(ago),
                Duration.ofSeconds(20),
                ResourceAmounts.of(Map.of(ResourceAmounts.CPU, milliCpu)))));
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(CPU)
        .row("without a report, what pods request counts", pod(100))
        .node(of("empty"), 90)
        .node(of("used"), 60, pod(300))
        .row("measured usage counts, and the pod itself", pod(100))
        .node(of("hot"), 20)
        .node(of("cold"), 80)
        .with(uses("hot", 700, Duration.ofSeconds(30)))
        .with(uses("cold", 100, Duration.ofSeconds(30)))
        .row("a report that is too old is ignored", pod(100))
        .node(of("n"), 90)
        .with(uses("n", 700, Duration.ofMinutes(4)))
        .row("a pod that requests nothing counts as the floor", pod(0))
        .node(of("n"), 95)
        .row("a node without room has nothing left, not less", pod(100))
        .node(of("n"), 0)
        .with(uses("n", 2_000, Duration.ofSeconds(30)))
        .tests();
  }
}
