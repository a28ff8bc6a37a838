package io.berth.demo.restart;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a restart run.
 *
 * @param podsPerSecond number of pods created per second
 * @param atLeast minimum time during which pods are created; longer if the restarts take longer
 * @param rounds number of restarts of each replica
 * @param slowUploads number of clients that slowly send bodies of 8 MiB to one replica at the same
 *     time
 * @param beforeSlowUploads time during which pods are created before these clients connect, because
 *     a JVM that has just started needs most of its CPU time for itself
 * @param grace {@code --shutdown-grace} of the replicas
 * @param probeEvery interval of the readiness probes
 * @param jvmOptions JVM options of the replicas
 * @param folder folder for logs
 */
public record RestartOptions(
    int podsPerSecond,
    Duration atLeast,
    int rounds,
    int slowUploads,
    Duration beforeSlowUploads,
    Duration grace,
    Duration probeEvery,
    List<String> jvmOptions,
    Path folder) {

  /**
   * Returns options with the grace period, probe interval, and memory of
   * deploy/manifests/60-deployment.yaml.
   */
  public static RestartOptions asDeployed(Path folder) {
    return new RestartOptions(
        50,
        Duration.ofSeconds(30),
        1,
        0,
        Duration.ZERO,
        Duration.ofSeconds(10),
        Duration.ofSeconds(2),
        List.of("-Xmx1536m", "-XX:+ExitOnOutOfMemoryError"),
        folder);
  }

  public RestartOptions withStream(int perSecond, Duration length) {
    return new RestartOptions(
        perSecond,
        length,
        rounds,
        slowUploads,
        beforeSlowUploads,
        grace,
        probeEvery,
        jvmOptions,
        folder);
  }

  public RestartOptions withRounds(int number) {
    return new RestartOptions(
        podsPerSecond,
        atLeast,
        number,
        slowUploads,
        beforeSlowUploads,
        grace,
        probeEvery,
        jvmOptions,
        folder);
  }

  public RestartOptions withSlowUploads(int clients, Duration before) {
    return new RestartOptions(
        podsPerSecond, atLeast, rounds, clients, before, grace, probeEvery, jvmOptions, folder);
  }

  /**
   * Returns these options with a shorter grace period and probe interval, for embedded clusters.
   */
  public RestartOptions inHaste(Duration shorterGrace, Duration shorterProbes) {
    return new RestartOptions(
        podsPerSecond,
        atLeast,
        rounds,
        slowUploads,
        beforeSlowUploads,
        shorterGrace,
        shorterProbes,
        jvmOptions,
        folder);
  }
}
