package io.berth.demo.restart;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a restart run.
 *
 * @param podsPerSecond how many pods are created all the while
 * @param atLeast how long pods are created; longer where restarts take longer
 * @param rounds how often each replica is restarted
 * @param slowUploads how many clients send bodies of 8 MiB slowly to one replica meanwhile
 * @param grace the replicas' {@code --shutdown-grace}
 * @param probeEvery how often readiness is looked at
 * @param jvmOptions of the replicas
 * @param folder for logs
 */
public record RestartOptions(
    int podsPerSecond,
    Duration atLeast,
    int rounds,
    int slowUploads,
    Duration grace,
    Duration probeEvery,
    List<String> jvmOptions,
    Path folder) {

  /** The grace period, probes and memory of deploy/manifests/60-deployment.yaml. */
  public static RestartOptions asDeployed(Path folder) {
    return new RestartOptions(
        50,
        Duration.ofSeconds(30),
        1,
        0,
        Duration.ofSeconds(10),
        Duration.ofSeconds(2),
        List.of("-Xmx1536m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1"),
        folder);
  }

  public RestartOptions withStream(int perSecond, Duration length) {
    return new RestartOptions(
        perSecond, length, rounds, slowUploads, grace, probeEvery, jvmOptions, folder);
  }

  public RestartOptions withRounds(int number) {
    return new RestartOptions(
        podsPerSecond, atLeast, number, slowUploads, grace, probeEvery, jvmOptions, folder);
  }

  public RestartOptions withSlowUploads(int clients) {
    return new RestartOptions(
        podsPerSecond, atLeast, rounds, clients, grace, probeEvery, jvmOptions, folder);
  }

  /** Shorter times of the same order, where an embedded cluster is all there is. */
  public RestartOptions inHaste(Duration shorterGrace, Duration shorterProbes) {
    return new RestartOptions(
        podsPerSecond,
        atLeast,
        rounds,
        slowUploads,
        shorterGrace,
        shorterProbes,
        jvmOptions,
        folder);
  }
}
