package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.berth.engine.fixtures.Nodes;
import io.berth.engine.fixtures.Pods;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** An incident: one of ten nodes has a Spark image of 1.4 GB, and 500 Spark pods arrive. */
class ImageIncidentTest {
  private static final String IMAGE = "registry.example.com/spark:3.5";
  private static final String HOLDER = "node-0";
  private static final int NODES = 10;
  private static final int PODS = 500;

  private final TestCluster cluster = new TestCluster();

  private void serve(int weight, Map<String, JsonNode> args) {
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                SchedulingPolicySpec.of(
                    List.of(), List.of(new PriorityPolicy("ImageLocality", weight, true, args))))));
  }

  private List<Decision.Placed> schedule() {
    for (int i = 0; i < NODES; i++) {
      Nodes node =
          Nodes.node("node-" + i).milliCpu(64_000).memoryBytes(256L << 30).allocatable("pods", 500);
      if (i == 0) {
        node.image(1_400_000_000L, IMAGE);
      }
      cluster.apply(new ClusterEvent.NodeUpserted(node.build()));
    }
    List<Decision.Placed> placed = new ArrayList<>();
    for (int i = 0; i < PODS; i++) {
      cluster.apply(
          new ClusterEvent.PodUpserted(
              Pods.pod("spark-" + i).milliCpu(100).memoryBytes(256L << 20).images(IMAGE).build()));
      placed.add(cluster.placed());
    }
    return placed;
  }

  private static Map<String, Long> byNode(List<Decision.Placed> placed) {
    return placed.stream()
        .collect(Collectors.groupingBy(Decision.Placed::nodeName, Collectors.counting()));
  }

  @Test
  void withTheStockWeight_theyPileUpOnTheNode() {
    Map<String, Long> byNode = byNode(schedule());

    assertThat(byNode.remove(HOLDER)).isGreaterThan(100);
    assertThat(byNode.values()).allSatisfy(pods -> assertThat(pods).isLessThan(50));
  }

  @Test
  void theRecordShowsTheScoreThatDidIt() {
    List<NodeScore> best = schedule().get(50).record().bestNodes();

    Map<String, PluginScore> onHolder = scores(best.getFirst());
    Map<String, PluginScore> elsewhere = scores(best.get(1));
    assertThat(best.getFirst().node()).isEqualTo(HOLDER);
    long byImage = lead("ImageLocality", onHolder, elsewhere);
    assertThat(byImage).isGreaterThan(10);
    assertThat(onHolder.keySet())
        .filteredOn(plugin -> lead(plugin, onHolder, elsewhere) >= byImage)
        .containsExactly("ImageLocality");
    assertThat(best.getFirst().total() - best.get(1).total())
        .as("without it the node would be behind")
        .isLessThan(byImage);
  }

  private static long lead(
      String plugin, Map<String, PluginScore> node, Map<String, PluginScore> other) {
    return node.get(plugin).normalized() - other.get(plugin).normalized();
  }

  private static Map<String, PluginScore> scores(NodeScore node) {
    return node.plugins().stream()
        .collect(Collectors.toMap(PluginScore::plugin, Function.identity()));
  }

  @Test
  void withACap_theNodeGetsFewMore() {
    serve(1, Map.of("maxScore", JsonNodeFactory.instance.numberNode(2)));

    assertThat(byNode(schedule()).values())
        .hasSize(NODES)
        .allSatisfy(pods -> assertThat(pods).isBetween(40L, 75L));
  }

  @Test
  void switchedOff_theyAreSpread() {
    serve(0, Map.of());

    assertThat(byNode(schedule()).values())
        .hasSize(NODES)
        .allSatisfy(pods -> assertThat(pods).isBetween(44L, 56L));
  }
}
