package io.berth.sandbox.kubelet;

import java.time.Duration;

/**
 * How simulated kubelets behave.
 *
 * @param startLatency from seeing a bound pod to its containers running; with zero a pod runs with
 *     its first status
 * @param stopLatency from seeing a deletion to the containers' end, at most the grace period
 * @param events whether kubelets record events of pods (Pulled, Created, Started, Killing)
 */
public record KubeletOptions(Duration startLatency, Duration stopLatency, boolean events) {

  /** As quick as a small cluster with its images at hand. */
  public static KubeletOptions lifelike() {
    return new KubeletOptions(Duration.ofMillis(300), Duration.ofMillis(300), true);
  }

  /** Nothing between a scheduler and its measure: pods run at once, and no events. */
  public static KubeletOptions immediate() {
    return new KubeletOptions(Duration.ZERO, Duration.ZERO, false);
  }
}
