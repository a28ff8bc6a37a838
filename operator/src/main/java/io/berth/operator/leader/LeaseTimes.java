package io.berth.operator.leader;

import java.time.Duration;

/**
 * The timing of leader election.
 *
 * @param leaseDuration how long other replicas wait after the last renewal they observed before
 *     they take over
 * @param renewDeadline how long the holder continues to lead without a successful renewal; shorter
 *     than the lease duration, so that the old leader has stopped before a new one starts
 * @param retryPeriod the interval between attempts to acquire or renew the lease
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
   * The defaults: 7 s, 5 s, and 1 s. kube-scheduler uses 15 s, 10 s, and 2 s, because its standby
   * has to start up, while a replica of Berth has the cluster in memory.
   */
  public static LeaseTimes defaults() {
    return new LeaseTimes(Duration.ofSeconds(7), Duration.ofSeconds(5), Duration.ofSeconds(1));
  }
}
