package io.berth.demo.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.LocalCluster;
import io.berth.sandbox.kubelet.KubeletOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A short soak on an embedded cluster; {@code make soak} runs longer ones. */
class SoakTest {
  private static final long SEED = 1;

  @TempDir Path folder;

  @Test
  @Timeout(value = 12, unit = TimeUnit.MINUTES)
  void threeReplicasUnderTenantsAndFaults_comeToRest() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    SoakReport report;
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      SoakOptions options = new SoakOptions(Duration.ofSeconds(15), SEED, true, folder);
      report = new Soak(cluster.admin(), options, InstantSource.system(), lines::add).run();
    }

    // A machine that runs other tests may stall; what Berth does is judged nevertheless.
    assertThat(report.violations().stream().filter(line -> !line.contains("the machine")))
        .as(String.join("\n", lines))
        .isEmpty();
    assertThat(lines).as("rests").contains("Rest 1: settled");
    assertThat(lines).as("faults").anyMatch(line -> line.contains("three is killed"));
    assertThat(report.summary()).as("pods").anyMatch(line -> line.matches("berth: [1-9].*"));
  }
}
