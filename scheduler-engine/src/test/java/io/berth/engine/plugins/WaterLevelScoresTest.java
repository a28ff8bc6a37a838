package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class WaterLevelScoresTest {
  private static final List<WeightedResource> CPU = List.of(new WeightedResource("cpu", 1));

  private static Pods pod(int milliCpu) {
    return Pods.pod("p").milliCpu(milliCpu);
  }

  private static Nodes of(String name) {
    return node(name).milliCpu(1_000);
  }

  @TestFactory
  Stream<DynamicTest> scoresOfTheWholeCluster() {
    return PluginTable.ofScore(new WaterLevel(0.5, 0.4, Optional.empty(), CPU))
        .row("below the level, the emptiest node is best", pod(100))
        .node(of("empty"), 90)
        .node(of("used"), 70, pod(200))
        .row("from the level on, the fullest node is best", pod(100))
        .node(of("half"), 50, pod(400))
        .node(of("full"), 90, pod(800))
        .row("cordoned nodes do not count for the level", pod(100))
        .node(of("empty"), 90)
        .node(of("used"), 60, pod(300))
        .node(of("cordoned").unschedulable(), 0, pod(1_000))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scoresByPool() {
    return PluginTable.ofScore(new WaterLevel(0.5, 0.4, Optional.of("pool"), CPU))
        .row("each pool has a level of its own", pod(100))
        .node(of("a1").label("pool", "a"), 90)
        .node(of("a2").label("pool", "a"), 70, pod(200))
        .node(of("b1").label("pool", "b"), 60, pod(500))
        .node(of("b2").label("pool", "b"), 90, pod(800))
        .tests();
  }
}
