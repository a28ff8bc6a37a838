package io.berth.engine.plugins;

import static io.berth.engine.fixtures.Nodes.node;
import static io.berth.engine.fixtures.Pods.pod;

import io.berth.engine.fixtures.Nodes;
import io.berth.engine.model.PodImages;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Sizes in MiB are part of the images' names. */
class ImageLocalityTest {
  private static final long MIB = 1L << 20;

  private static Nodes holding(String name, int... sizes) {
    Nodes node = node(name);
    for (int size : sizes) {
      node.image(size * MIB, "gcr.io/" + size + ":latest", "gcr.io/" + size + ":v1");
    }
    return node;
  }

  @TestFactory
  Stream<DynamicTest> scores() {
    return PluginTable.ofScore(new ImageLocality())
        .row(
            "the larger image decides: (250/2 - 23) / (2000 - 23)",
            pod("p").images("gcr.io/40:latest", "gcr.io/250:latest"))
        .node(holding("a", 40, 300, 2000), 0)
        .node(holding("b", 250, 10), 5)
        .row(
            "images add up: ((40 + 300)/2 - 23) / (2000 - 23)",
            pod("p").images("gcr.io/40:latest", "gcr.io/300:latest"))
        .node(holding("a", 40, 300, 2000), 7)
        .node(holding("b", 250, 10), 0)
        .row(
            "beyond the upper threshold it is 100, below the lower one 0",
            pod("p").images("gcr.io/10:latest", "gcr.io/4000:latest"))
        .node(holding("a", 4000, 30), 100)
        .node(holding("b", 250, 10), 0)
        .row(
            "an image counts by the share of nodes that hold it: (4000/3 - 23) / (2000 - 23)",
            pod("p").images("gcr.io/10:latest", "gcr.io/4000:latest"))
        .node(holding("a", 4000, 30), 66)
        .node(holding("b", 250, 10), 0)
        .node(holding("c"), 0)
        .row("another name of the image is as good", pod("p").images("gcr.io/250:v1"))
        .node(holding("a", 250), 10)
        .node(holding("b"), 0)
        .row(
            "an image volume counts, and does not raise the threshold",
            pod("p").images(new PodImages(List.of("gcr.io/30:latest", "gcr.io/300:latest"), 1)))
        .node(holding("a", 40, 300, 2000), 12)
        .node(holding("b", 30), 0)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scoresWithACap() {
    return PluginTable.ofScore(new ImageLocality(23 * MIB, 1000 * MIB, 8))
        .row("what would score more scores the cap", pod("p").images("gcr.io/4000:latest"))
        .node(holding("a", 4000), 8)
        .node(holding("b"), 0)
        .row("what scores less is not scaled", pod("p").images("gcr.io/160:latest"))
        .node(holding("a", 160), 5)
        .node(holding("b"), 0)
        .tests();
  }

  @TestFactory
  Stream<DynamicTest> scoresWithOtherThresholds() {
    return PluginTable.ofScore(new ImageLocality(100 * MIB, 200 * MIB, 100))
        .row("half of a 300 MiB image is half way", pod("p").images("gcr.io/300:latest"))
        .node(holding("a", 300), 50)
        .node(holding("b"), 0)
        .tests();
  }
}
