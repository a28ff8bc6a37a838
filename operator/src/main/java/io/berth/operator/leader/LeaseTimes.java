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

  /** kube-scheduler's own times: 15 s, 10 s, 2 s. */
  public static LeaseTimes defaults() {
    return new LeaseTimes(Duration.ofSeconds(15), Duration.ofSeconds(10), Duration.ofSeconds(2));
  }
}
