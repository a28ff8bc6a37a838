package io.berth.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.engine.decision.PluginScore;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import org.junit.jupiter.api.Test;

/** Image scores of nodes. */
class ImageScoresTest {
  private static final long MIB = 1024 * 1024;
  private final TestCluster cluster = new TestCluster();

  @Test
  void anImageThatANodeReportsTwice_hasTheSizeReportedLast() {
    cluster.upsert(
        new NodeBuilder(TestCluster.node("n1", "4"))
            .editStatus()
            .addNewImage()
            .withNames("image:latest")
            .withSizeBytes(1000 * MIB)
            .endImage()
            .addNewImage()
            .withNames("image:latest")
            .withSizeBytes(511 * MIB + MIB / 2)
            .endImage()
            .endStatus()
            .build());

    cluster.upsert(TestCluster.pod("p", "1", 0));

    assertThat(cluster.placed().record().bestNodes().getFirst().plugins())
        .filteredOn(score -> score.plugin().equals("ImageLocality"))
        .extracting(PluginScore::normalized)
        .containsExactly(50L);
  }
}
