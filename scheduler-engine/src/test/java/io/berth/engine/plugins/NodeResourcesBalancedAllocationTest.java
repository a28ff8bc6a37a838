package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

class NodeResourcesBalancedAllocationTest {
  private static final String GPU = "nvidia.com/gpu";

  private static Nodes sized(String name, long milliCpu, long memoryBytes) {
    return node(name).milliCpu(milliCpu).memoryBytes(memoryBytes);
  }

  private static Pods asking(long milliCpu, long memoryBytes) {
    return pod("p").milliCpu(milliCpu).memoryBytes(memoryBytes);
  }

  private static NodeResourcesBalancedAllocation withGpus(long cpu, long memory, long gpu) {
    return new NodeResourcesBalancedAllocation(
        List.of(
            new WeightedResource("cpu", cpu),
            new WeightedResource("memory", memory),
            new WeightedResource(GPU, gpu)));
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new NodeResourcesBalancedAllocation())
        .row("a pod that asks for nothing scores nothing", pod("p"))
        .node(sized("a", 4_000, 10_000), 0)
        .node(sized("b", 4_000, 10_000), 0)
        .row("75 where the balance does not change", asking(3_000, 5_000))
        .node(sized("a", 4_000, 10_000), 68)
        .node(sized("b", 6_000, 10_000), 75)
        .row("pods that are there count", asking(3_000, 5_000))
        .node(sized("a", 10_000, 20_000), 73, asking(3_000, 0))
        .node(sized("b", 10_000, 20_000), 74, asking(3_000, 5_000))
        .row("on nodes of different sizes", asking(3_000, 5_000))
        .node(sized("a", 10_000, 20_000), 73, asking(3_000, 0))
        .node(sized("b", 10_000, 50_000), 70, asking(3_000, 5_000))
        .row("the best and the worst change", asking(0, 5_000))
        .node(sized("a", 3_000, 5_000), 100, asking(3_000, 0))
        .node(sized("b", 3_000, 5_000), 50)
        .row("at the node's capacity", asking(3_000, 0))
        .node(sized("a", 6_000, 10_000), 62, asking(3_000, 0))
        .node(sized("b", 6_000, 10_000), 62, asking(3_000, 5_000))
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scoresOfThreeResources() {
    return PluginTable.ofScore(withGpus(1, 1, 1))
        .row("an extended resource counts for pods that ask for it", asking(0, 0).asks(GPU, 1))
        .node(sized("a", 3_500, 40_000).allocatable(GPU, 8), 75, asking(3_000, 5_000).asks(GPU, 3))
        .node(sized("b", 3_500, 40_000).allocatable(GPU, 8), 76, asking(3_000, 5_000))
        .row("and not for others", asking(3_000, 5_000))
        .node(sized("a", 3_500, 40_000).allocatable(GPU, 8), 56)
        .node(sized("b", 3_500, 40_000), 56)
        .tests();
  }

  /**
   * Shares 0.5, 0.5 and 1 with the pod, 0 without. Weights 1, 1, 2: mean 0.75, deviation 0.25.
   * Weights 1, 1, 1: mean 2/3, deviation 0.2357.
   */
  @TestFactory
  Stream<DynamicTest> weightsCount() {
    return Stream.concat(
        PluginTable.ofScore(withGpus(1, 1, 2))
            .row("GPUs twice: 50 + (50 + 75 - 100) / 2", asking(2_000, 5_000).asks(GPU, 4))
            .node(sized("a", 4_000, 10_000).allocatable(GPU, 4), 62)
            .tests(),
        PluginTable.ofScore(withGpus(1, 1, 1))
            .row("all alike: 50 + (50 + 76 - 100) / 2", asking(2_000, 5_000).asks(GPU, 4))
            .node(sized("a", 4_000, 10_000).allocatable(GPU, 4), 63)
            .tests());
  }
}
