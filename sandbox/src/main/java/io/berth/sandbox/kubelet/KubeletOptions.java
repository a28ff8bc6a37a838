package io.berth.sandbox.kubelet;

import java.time.Duration;

/**
 * The behavior of simulated kubelets.
 *
 * @param startLatency time from observing a bound pod until its containers run; with zero, the pod
 *     is Running in its first status
 * @param stopLatency time from observing a deletion until the containers exit, limited by the grace
 *     period
 * @param events whether kubelets record pod events (Pulled, Created, Started, Killing)
 * @param heartbeat interval at which each kubelet renews its node's Lease, whose duration is four
 *     times as long
 */
public record KubeletOptions(
    Duration startLatency, Duration stopLatency, boolean events, Duration heartbeat) {
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);
  private static final int BEATS_UNTIL_UNREACHABLE = 5;

  /** The latencies of a small cluster whose images are already present on the nodes. */
  public static KubeletOptions lifelike() {
    return new KubeletOptions(Duration.ofMillis(300), Duration.ofMillis(300), true, HEARTBEAT);
  }

  /** No latencies and no events, for measuring schedulers: pods run immediately. */
  public static KubeletOptions immediate() {
    return new KubeletOptions(Duration.ZERO, Duration.ZERO, false, HEARTBEAT);
  }

  /** Returns these options with another heartbeat interval. */
  public KubeletOptions withHeartbeat(Duration other) {
    return new KubeletOptions(startLatency, stopLatency, events, other);
  }

  /**
   * Returns the time without heartbeats after which a node is considered unreachable: five
   * intervals.
   */
  public Duration patience() {
    return heartbeat.multipliedBy(BEATS_UNTIL_UNREACHABLE);
  }
}
