package io.berth.demo.story;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.LocalCluster;
import io.berth.demo.story.Chapter.Claim;
import io.berth.operator.BerthOptions;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The story of the README, on an embedded cluster. */
class PoolStoryTest {
  private static final int NODES = 9;

  @Test
  void theStoryIsAsDescribed() throws Exception {
    List<Claim> claims = new ArrayList<>();
    try (LocalCluster cluster = LocalCluster.start(0, NODES, KubeletOptions.lifelike());
        BerthInstallation berth =
            BerthInstallation.start(
                cluster.admin(), Checkout.find(), BerthOptions.local("story").withHttp(0, true))) {
      new PoolStory(
              cluster.admin(),
              "default",
              true,
              Checkout.find(),
              berth::explain,
              chapter -> claims.addAll(chapter.claims()))
          .tell();
    }
    assertThat(claims).hasSizeGreaterThan(10).allMatch(Claim::held);
  }
}
