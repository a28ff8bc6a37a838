package io.berth.demo.aot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.berth.demo.cluster.BerthProcess;
import io.berth.demo.cluster.Checkout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ahead-of-time cache of {@code make aot}, created from a run on a small cluster. */
class AotTrainingTest {

  @TempDir private Path folder;

  @Test
  void berthStarts_fromTheCacheThatOneRunMade() throws Exception {
    Path jar = Checkout.find().root().resolve("operator/target/berth.jar");
    assumeThat(jar).as("make jar builds it").isRegularFile();
    Path cache = folder.resolve("berth.aot");

    List<String> program = BerthProcess.program(Optional.of(jar));
    new AotTraining(BerthProcess.ownJava(), program, cache, folder).run(10, 30);

    assertThat(Files.size(cache)).isGreaterThan(1 << 20);
    Process berth =
        new ProcessBuilder(
                BerthProcess.ownJava().toString(),
                "-XX:AOTCache=" + cache,
                "-XX:AOTMode=on",
                "-jar",
                jar.toString(),
                "--help")
            .redirectErrorStream(true)
            .start();
    String output = new String(berth.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(berth.waitFor()).as(output).isZero();
    assertThat(output).contains("run", "check");
  }
}
