package io.berth.sandbox.kubelet;

import java.time.Duration;

/**
 * The behavior of simulated kubelets.
 *
 * @param startLatency from seeing a bound pod to its containers running; with zero a pod runs with
 *     its first status
 * @param stopLatency from seeing a deletion to the containers' end, at most the grace period
 * @param events whether kubelets record events of pods (Pulled, Created, Started, Killing)
 * @param heartbeat how often each renews its node's Lease, which is valid four times as long
 */
public record KubeletOptions(
    Duration startLatency, Duration stopLatency, boolean events, Duration heartbeat) {
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final int BEATS_UNTIL_UNREACHABLE = 5;

  /** As quick as a small cluster with its images at hand. */
  public static KubeletOptions lifelike() {
    return new KubeletOptions(Duration.ofMillis(300), Duration.ofMillis(300), true, HEARTBEAT);
  }

  /** Nothing between a scheduler and its measure: pods run at once, and no events. */
  public static KubeletOptions immediate() {
    return new KubeletOptions(Duration.ZERO, Duration.ZERO, false, HEARTBEAT);
  }

  /** The same with another heartbeat. */
  public KubeletOptions withHeartbeat(Duration other) {
    return new KubeletOptions(startLatency, stopLatency, events, other);
  }

  /**
   * Returns the time for which a kubelet may be silent before its node counts as unreachable: five
   * heartbeats.
   */
  public Duration patience() {
    return heartbeat.multipliedBy(BEATS_UNTIL_UNREACHABLE);
  }
}
