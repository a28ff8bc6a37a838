package io.berth.operator.leader;

import java.time.Duration;

/**
 * The times of a lease: its duration, and its holder's renewal interval.
 *
 * @param leaseDuration how long the others wait after the last renewal they saw before they take
 *     over
 * @param renewDeadline how long the holder goes on without a successful renewal; it must be shorter
 *     than the lease, so that the old leader has stopped before a new one starts
 * @param retryPeriod the pause between two attempts to take or renew the lease
 */
public record LeaseTimes(Duration leaseDuration, Duration renewDeadline, Duration retryPeriod) {

  public LeaseTimes {
    if (leaseDuration.compareTo(renewDeadline) <= 0) {
      throw new IllegalArgumentException(
          "the lease duration (%s) must be longer than the renew deadline (%s)"
              .formatted(leaseDuration, renewDeadline));
    }
    if (renewDeadline.compareTo(retryPeriod) <= 0) {
      throw new IllegalArgumentException(
          "the renew deadline (%s) must be longer than the retry period (%s)"
              .formatted(renewDeadline, retryPeriod));
    }
  }

  /**
   * 7 s, 5 s, 1 s. kube-scheduler's are 15 s, 10 s, 2 s: its standby has to start, while a replica
   * of Berth has the cluster in memory.
   */
  public static LeaseTimes defaults() {
    return new LeaseTimes(Duration.ofSeconds(7), Duration.ofSeconds(5), Duration.ofSeconds(1));
  }
}
