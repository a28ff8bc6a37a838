package io.berth.demo.picture;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** The picture in the README. */
class WhyPictureTest {

  @Test
  void picture_showsWhatARunningBerthAnswers() throws Exception {
    String drawn = WhyPicture.of(PoolMoment.reach());

    assertThat(Files.readString(Checkout.find().root().resolve("docs/images/why-this-node.svg")))
        .as("docs/images/why-this-node.svg; make picture draws it again")
        .isEqualTo(drawn);
  }
}
