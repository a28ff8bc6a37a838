package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.decision.NodeScore;
import io.berth.engine.decision.PluginScore;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pods of a Service without their own constraints, with some nodes outside any zone. */
class DefaultSpreadTest {
  private static final String ZONE = "topology.kubernetes.io/zone";
  private final TestCluster cluster = new TestCluster();

  @BeforeEach
  void aService() {
    cluster.upsert(
        new ServiceBuilder()
            .withNewMetadata()
            .withName("web")
            .withNamespace("team")
            .endMetadata()
            .withNewSpec()
            .withSelector(Map.of("app", "web"))
            .endSpec()
            .build());
  }

  private static Node inZone(String name, String zone) {
    return new NodeBuilder(TestCluster.node(name, "8"))
        .editMetadata()
        .addToLabels(ZONE, zone)
        .endMetadata()
        .build();
  }

  private static Pod web(String name) {
    return new PodBuilder(TestCluster.pod(name, "1", 0))
        .editMetadata()
        .withLabels(Map.of("app", "web"))
        .endMetadata()
        .build();
  }

  private Map<String, Long> spreadScores() {
    Map<String, Long> scores = new TreeMap<>();
    for (NodeScore node : cluster.decision().record().bestNodes()) {
      for (PluginScore plugin : node.plugins()) {
        if (plugin.plugin().equals("PodTopologySpread")) {
          scores.put(node.node(), plugin.normalized());
        }
      }
    }
    return scores;
  }

  @Test
  void podsOnNodesWithoutAZone_countForNodesWhoseZoneIsEmpty() {
    cluster.upsert(inZone("named", "z1"));
    cluster.upsert(inZone("unnamed", ""));
    cluster.upsert(TestCluster.node("without", "8"));
    cluster.upsert(TestCluster.bound(web("there"), "without"));

    cluster.upsert(web("p"));

    Map<String, Long> scores = spreadScores();
    assertThat(scores.get("unnamed")).isLessThan(scores.get("named"));
  }

  @Test
  void aNodeThatLosesItsEmptyZone_isNotScoredByItAnyMore() {
    cluster.upsert(inZone("named", "z1"));
    cluster.upsert(inZone("unnamed", ""));
    cluster.upsert(inZone("other", ""));
    cluster.upsert(TestCluster.bound(web("there"), "other"));
    cluster.upsert(web("p"));
    long before = spreadScores().get("unnamed");
    cluster.remove(web("p"));

    cluster.upsert(TestCluster.node("unnamed", "8"));
    cluster.upsert(web("q"));

    Map<String, Long> scores = spreadScores();
    assertThat(scores.get("unnamed")).isGreaterThan(before).isGreaterThan(scores.get("named"));
  }
}
