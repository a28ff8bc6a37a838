package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.Checkout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools that a release is built with. */
class ReleaseTest {

  private static final Path ROOT = Checkout.find().root();

  @ParameterizedTest
  @ValueSource(strings = {"", "1.2", "v1.2.3", "1.2.3 4"})
  void release_needsAVersion(String version) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(ROOT.resolve(".ci").resolve("release").toString(), version)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).isEqualTo(2);
    assertThat(said).contains("make release VERSION=1.2.3");
  }

  @Test
  void mavenWrapper_isAScript_thatFetchesOneVersionOfMaven() throws IOException {
    String settings =
        Files.readString(
            ROOT.resolve(".mvn").resolve("wrapper").resolve("maven-wrapper.properties"));

    assertThat(settings)
        .contains("distributionType=only-script")
        .containsPattern("distributionUrl=\\S+/apache-maven-3\\.9\\.[0-9]+-bin\\.zip");
    assertThat(Files.isExecutable(ROOT.resolve("mvnw"))).isTrue();
    assertThat(ROOT.resolve(".mvn").resolve("wrapper").resolve("maven-wrapper.jar")).doesNotExist();
  }
}
