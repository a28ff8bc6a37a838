package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.api.Decision;
import io.berth.engine.api.EngineOptions;
import org.junit.jupiter.api.Test;

/** Nodes on which too many pods would have to leave are not tried out. */
class UntriedNodesTest {
  private static final int NODES = 50;

  private final TestCluster cluster = new TestCluster(EngineOptions.defaults());

  private void runs(String pod, String cpu, String node) {
    cluster.upsert(TestCluster.bound(TestCluster.pod(pod, cpu, 0), node));
  }

  @Test
  void nodesWhereTheLargestPodsAreNotEnough_areNotTriedOutBeforeOneWithFewerVictims() {
    for (int i = 0; i < NODES; i++) {
      String node = "n" + i;
      cluster.upsert(TestCluster.node(node, "10"));
      runs("large-" + i, "5", node);
      for (int small = 0; small < 5; small++) {
        runs("small-" + i + "-" + small, "1", node);
      }
    }
    cluster.upsert(TestCluster.node("with-two", "10"));
    runs("half", "5", "with-two");
    runs("other-half", "5", "with-two");
    cluster.upsert(TestCluster.pod("urgent", "8", 100));

    Decision.Nominated nominated = cluster.nominated();

    assertThat(nominated.victims()).hasSize(2);
    assertThat(cluster.engine.preemption().dryRuns()).isEqualTo(1);
  }
}
