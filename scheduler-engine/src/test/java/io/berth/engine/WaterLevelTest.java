package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.crds.SchedulingPolicySpec;
import io.berth.crds.policy.PriorityPolicy;
import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.Decision;
import io.berth.engine.api.GaugeReading;
import io.berth.engine.state.Gauge;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Spreads pods while a pool has room, and packs them when it fills up; in between, the mode is
 * kept.
 */
class WaterLevelTest {
  private static final String POOL = "pool";

  private final TestCluster cluster = new TestCluster();

  private void serve(Map<String, JsonNode> more, int weight) {
    Map<String, JsonNode> args = new HashMap<>(more);
    args.put("packAbove", JsonNodeFactory.instance.numberNode(0.75));
    args.put("spreadBelow", JsonNodeFactory.instance.numberNode(0.5));
    ObjectNode cpu = JsonNodeFactory.instance.objectNode().put("name", "cpu");
    args.put("resources", JsonNodeFactory.instance.arrayNode().add(cpu));
    cluster.apply(
        new ClusterEvent.PolicyServed(
            TestCluster.policy(
                TestCluster.POLICY,
                SchedulingPolicySpec.of(
                    List.of(), List.of(new PriorityPolicy("WaterLevel", weight, true, args))))));
  }

  private void serve() {
    serve(Map.of(), 1000);
  }

  private static Node inPool(String name, String pool) {
    return new NodeBuilder(TestCluster.node(name, "4"))
        .editMetadata()
        .addToLabels(POOL, pool)
        .endMetadata()
        .build();
  }

  private void fill(String node, int cores) {
    for (int i = 0; i < cores; i++) {
      cluster.upsert(onNode(node, i));
    }
  }

  private static Pod onNode(String node, int i) {
    return TestCluster.bound(TestCluster.pod("fill-" + node + "-" + i, "1", 0), node);
  }

  private String placed(String name) {
    cluster.upsert(TestCluster.pod(name, "1", 0));
    return cluster.placed().nodeName();
  }

  private Gauge.Reading reading(String scope) {
    return cluster.engine.gauges().stream()
        .map(GaugeReading::reading)
        .filter(reading -> reading.scope().equals(scope))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aRoomyCluster_isSpread_andAFullOneIsPacked() {
    serve();
    cluster.upsert(TestCluster.node("full", "4"));
    cluster.upsert(TestCluster.node("roomy", "4"));
    fill("full", 3);
    assertThat(placed("first")).isEqualTo("roomy");
    assertThat(placed("second")).as("half full").isEqualTo("roomy");
    cluster.upsert(TestCluster.bound(TestCluster.pod("first", "1", 0), "roomy"));

    fill("roomy", 1);

    assertThat(placed("third")).as("three quarters are requested").isEqualTo("full");
    assertThat(reading("cluster")).isEqualTo(new Gauge.Reading("cluster", "Pack", 0.75));
  }

  @Test
  void betweenTheMarks_itGoesOnAsItDid() {
    serve();
    cluster.upsert(TestCluster.node("full", "4"));
    cluster.upsert(TestCluster.node("roomy", "4"));
    fill("full", 3);
    fill("roomy", 2);
    assertThat(placed("spread")).as("on the way up").isEqualTo("roomy");
    cluster.remove(TestCluster.pod("spread", "1", 0));

    fill("roomy", 3);
    assertThat(placed("packed")).isEqualTo("full");
    cluster.remove(TestCluster.pod("packed", "1", 0));
    cluster.remove(onNode("roomy", 2));
    assertThat(placed("still-packed")).as("on the way down").isEqualTo("full");
    cluster.remove(TestCluster.pod("still-packed", "1", 0));
    cluster.remove(onNode("roomy", 1));

    assertThat(placed("spread-again")).as("at the lower mark").isEqualTo("roomy");
  }

  @Test
  void eachPoolHasALevelOfItsOwn_andCordonedNodesAreNoPartOfIt() {
    serve(Map.of("scope", JsonNodeFactory.instance.objectNode().put("nodeLabel", POOL)), 1000);
    for (String pool : List.of("a", "b")) {
      cluster.upsert(inPool(pool + "1", pool));
      cluster.upsert(inPool(pool + "2", pool));
    }
    cluster.upsert(
        new NodeBuilder(inPool("cordoned", "a"))
            .editSpec()
            .withUnschedulable(true)
            .endSpec()
            .build());
    fill("a1", 4);
    fill("a2", 2);

    cluster.next();

    assertThat(reading("pool=a")).isEqualTo(new Gauge.Reading("pool=a", "Pack", 0.75));
    assertThat(reading("pool=b")).isEqualTo(new Gauge.Reading("pool=b", "Spread", 0));
    cluster.upsert(
        new NodeBuilder(inPool("cordoned", "a"))
            .editSpec()
            .withUnschedulable(false)
            .endSpec()
            .build());
    cluster.next();
    assertThat(reading("pool=a"))
        .as("as much again, but above the lower mark")
        .isEqualTo(new Gauge.Reading("pool=a", "Spread", 0.5));
  }

  @Test
  void aPodGoesByTheModeOfTheNodesScope() {
    serve(Map.of("scope", JsonNodeFactory.instance.objectNode().put("nodeLabel", POOL)), 1000);
    cluster.upsert(inPool("full", "a"));
    cluster.upsert(inPool("half", "a"));
    fill("full", 4);
    fill("half", 2);
    cluster.upsert(inPool("empty", "b"));

    cluster.upsert(TestCluster.pod("pod", "1", 0));

    Decision.Placed placed = cluster.placed();
    Map<String, Long> scores = new HashMap<>();
    placed
        .record()
        .bestNodes()
        .forEach(
            node ->
                node.plugins().stream()
                    .filter(score -> score.plugin().equals("WaterLevel"))
                    .forEach(score -> scores.put(node.node(), score.raw())));
    assertThat(scores)
        .as("most allocated in the full pool, least allocated in the empty one")
        .isEqualTo(Map.of("half", 75L, "empty", 75L));
  }

  @Test
  void aNewEngine_goesOnWithTheModeThatItIsGiven() {
    cluster.upsert(TestCluster.node("full", "4"));
    cluster.upsert(TestCluster.node("roomy", "4"));
    fill("full", 3);
    fill("roomy", 2);
    serve();

    cluster.apply(
        new ClusterEvent.GaugeSeeded(TestCluster.POLICY, "WaterLevel", "cluster", "Pack"));

    assertThat(placed("pod")).isEqualTo("full");
  }

  @Test
  void aRevisionWithOtherMarks_goesOnWithTheModeOfTheLast() {
    serve();
    cluster.upsert(TestCluster.node("full", "4"));
    cluster.upsert(TestCluster.node("roomy", "4"));
    fill("full", 3);
    fill("roomy", 3);
    cluster.next();
    cluster.remove(onNode("roomy", 2));

    serve(Map.of("packAbove", JsonNodeFactory.instance.numberNode(0.95)), 900);
    cluster.next();

    assertThat(reading("cluster").mode()).isEqualTo("Pack");
  }

  @Test
  void aRevisionWithTheSameArguments_keepsTheMode_andOneWithOtherScopesBeginsWithout() {
    serve();
    cluster.upsert(TestCluster.node("full", "4"));
    cluster.upsert(TestCluster.node("roomy", "4"));
    fill("full", 3);
    fill("roomy", 3);
    cluster.next();
    cluster.remove(onNode("roomy", 2));

    serve(Map.of(), 900);
    cluster.next();
    assertThat(reading("cluster").mode()).isEqualTo("Pack");

    serve(Map.of("scope", JsonNodeFactory.instance.objectNode().put("nodeLabel", POOL)), 900);
    cluster.next();
    assertThat(reading("pool=").mode()).isEqualTo("Spread");
    assertThat(cluster.engine.state().gauges().size()).isEqualTo(1);
    cluster.apply(new ClusterEvent.PolicyRemoved(TestCluster.POLICY));
    assertThat(cluster.engine.state().gauges().size()).isZero();
  }

  @Test
  void whatPreemptionTriesOut_doesNotMoveTheGauge() {
    serve();
    cluster.upsert(TestCluster.node("n1", "4"));
    fill("n1", 3);
    cluster.next();
    Gauge.Reading before = reading("cluster");
    cluster.upsert(TestCluster.pod("urgent", "4", 100));

    cluster.nominated();

    assertThat(before).isEqualTo(new Gauge.Reading("cluster", "Pack", 0.75));
    cluster.next();
    assertThat(reading("cluster")).isEqualTo(before);
  }
}
