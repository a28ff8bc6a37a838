package io.berth.demo.real;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.demo.cluster.RealApiServer;
import io.berth.demo.ground.OnRealApiServer;
import io.berth.demo.restart.RestartOptions;
import io.berth.demo.restart.RestartReport;
import io.berth.demo.restart.RollingRestart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rolling restart of two replicas behind one address, on a real API server with 50 pods per
 * second and the heap size of the Deployment. {@code make test-real SECONDS=180 ROUNDS=2} runs it
 * for longer.
 */
@OnRealApiServer
class RealRestartTest {
  private static final int PODS_PER_SECOND = 50;
  private static final Duration LENGTH =
      Duration.ofSeconds(Integer.getInteger("berth.seconds", 30));
  private static final int ROUNDS = Integer.getInteger("berth.rounds", 1);
  private static final int SLOW_CLIENTS = 250;

  /**
   * Time for which the replicas serve before the slow clients connect. The standby exercises the
   * leader's code for up to a minute, which takes as much CPU time as the slow clients do.
   */
  private static final Duration WARM_UP = Duration.ofSeconds(75);

  /**
   * The heap limit. Without a limit on request bodies, the slow clients alone would use more than
   * 600 MiB.
   */
  private static final long HEAP_BYTES = 512L << 20;

  /** More than the webhook keeps of all bodies together. */
  private static final long BUFFERED_BYTES = 64L << 20;

  @TempDir Path folder;

  private RestartReport run(RestartOptions options) throws Exception {
    try (RealApiServer server = RealApiServer.open()) {
      RestartReport report = new RollingRestart(server.admin(), options, System.out::println).run();
      System.out.print(report.text());
      return report;
    }
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void replicasRestartedInTurn_leaveNoPodUnrendered() throws Exception {
    RestartReport report =
        run(
            RestartOptions.asDeployed(folder)
                .withStream(PODS_PER_SECOND, LENGTH)
                .withRounds(ROUNDS));

    assertThat(report.restarts()).isEqualTo(2 * ROUNDS);
    assertThat(report.starts()).as("no replica exited on its own").isEqualTo(2 + 2 * ROUNDS);
    assertThat(report.refused()).isEmpty();
    assertThat(report.unrendered()).as(report.text()).isEmpty();
  }

  @Test
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void slowClients_costNeitherAReplicaItsHeap_norAPodItsRendering() throws Exception {
    RestartReport report =
        run(
            RestartOptions.asDeployed(folder)
                .withStream(PODS_PER_SECOND / 2, WARM_UP.plus(LENGTH))
                .withRounds(0)
                .withSlowUploads(SLOW_CLIENTS, WARM_UP));

    assertThat(report.rejectedUploads()).as("each client tried").isGreaterThan(SLOW_CLIENTS);
    assertThat(report.uploadedBytes()).isGreaterThan(BUFFERED_BYTES);
    assertThat(report.starts()).as("no replica exited on its own").isEqualTo(2);
    assertThat(report.mostHeapBytes()).isBetween(1L, HEAP_BYTES);
    assertThat(report.refused()).isEmpty();
    assertThat(report.unrendered()).as(report.text()).isEmpty();
  }
}
