package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.demo.history.HistoryCheck;
import io.berth.demo.trial.Trial;
import io.berth.demo.trial.TrialOptions;
import io.berth.demo.trial.TrialReport;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A trial on a real API server, long enough for pauses that exceed a leader's term. */
@OnRealApiServer
class RealTrialTest {
  private static final Duration DISTURBED = Duration.ofSeconds(100);
  private static final long SEED = 11;
  private static final int NODES = 8;

  @TempDir Path folder;

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void threeBerthsUnderFaults_leaveAHistoryInOrder() throws Exception {
    TrialReport report;
    try (RealApiServer server = RealApiServer.open()) {
      TrialOptions options =
          new TrialOptions(
              DISTURBED,
              SEED,
              NODES,
              Duration.ofMillis(250),
              HistoryCheck.PENDING_LIMIT,
              false,
              folder);
      report =
          new Trial(server.admin(), options, InstantSource.system(), System.out::println).run();
    }

    assertThat(report.violations()).as(report.text()).isEmpty();
    assertThat(report.summary().bound().keySet()).containsAll(Trial.SCHEDULERS);
    assertThat(report.summary().evictions()).as("evictions").isNotEmpty();
  }
}
