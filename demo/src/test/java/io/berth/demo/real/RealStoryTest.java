package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.BerthInstallation;
import io.berth.demo.cluster.Checkout;
import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.demo.story.Chapter.Claim;
import io.berth.demo.story.PoolStory;
import io.berth.operator.BerthOptions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The story of the README on a real API server, with only the permissions that deploy/ grants to
 * Berth.
 */
@OnRealApiServer
class RealStoryTest {

  @Test
  void theStoryIsAsDescribed_andNothingIsLeftBehind() throws Exception {
    Checkout checkout = Checkout.find();
    List<Claim> claims = new ArrayList<>();
    List<String> leftBehind;
    try (RealApiServer server = RealApiServer.open()) {
      StoryGround ground = StoryGround.prepare(server.admin(), checkout);
      try (ground;
          BerthInstallation berth =
              BerthInstallation.start(
                  server.admin(), checkout, BerthOptions.local("test-real").withHttp(0, true))) {
        new PoolStory(
                server.admin(),
                ground.namespace(),
                ground.controllers(),
                checkout,
                berth::explain,
                chapter -> {
                  System.out.print(chapter.text());
                  claims.addAll(chapter.claims());
                })
            .tell();
      }
      leftBehind = ground.leftBehind();
    }

    assertThat(claims).hasSizeGreaterThan(10).allMatch(Claim::held);
    assertThat(leftBehind).isEmpty();
  }
}
