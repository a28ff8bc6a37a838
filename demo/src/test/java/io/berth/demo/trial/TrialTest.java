package io.berth.demo.trial;

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

/** A short trial on an embedded cluster; {@code make history} runs longer ones. */
class TrialTest {
  private static final long SEED = 1;

  /** Longer than Berth's promised limit, because the machine may be busy. */
  private static final Duration PENDING_LIMIT = Duration.ofMinutes(3);

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void threeBerthsUnderFaults_leaveAHistoryInOrder() throws Exception {
    List<String> lines = new CopyOnWriteArrayList<>();
    TrialReport report;
    try (LocalCluster cluster = LocalCluster.start(0, 0, KubeletOptions.immediate())) {
      TrialOptions options =
          new TrialOptions(
              Duration.ofSeconds(12), SEED, 6, Duration.ofMillis(250), PENDING_LIMIT, true, folder);
      report = new Trial(cluster.admin(), options, InstantSource.system(), lines::add).run();
    }

    assertThat(report.violations()).as(report.text()).isEmpty();
    assertThat(report.summary().bound().keySet())
        .as("schedulers that bound pods")
        .containsAll(Trial.SCHEDULERS);
    assertThat(lines).as("faults").anyMatch(line -> line.contains("three is killed"));
    assertThat(report.text()).endsWith("history: OK\n");
  }
}
