package io.berth.engine.queue;

import io.berth.rules.retry.DoublingPause;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The waiting times of pods.
 *
 * @param initialBackoff the backoff after the first unsuccessful attempt; doubled after each
 *     further one
 * @param maxBackoff the maximum backoff
 * @param unschedulableTimeout the time after which a pod is retried even without an event
 */
public record QueueTimes(
    Duration initialBackoff, Duration maxBackoff, Duration unschedulableTimeout) {

  /**
   * kube-scheduler's defaults: a backoff of one second that doubles up to ten, and a timeout of
   * five minutes.
   */
  public static final QueueTimes DEFAULT =
      new QueueTimes(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(5));

  /** Rejects negative durations, and a maximum backoff below the initial one. */
  public QueueTimes {
    if (initialBackoff.isNegative()
        || unschedulableTimeout.isNegative()
        || maxBackoff.compareTo(initialBackoff) < 0) {
      throw new IllegalArgumentException(
          "queue times must not be negative, and maxBackoff not below initialBackoff:"
              + " initialBackoff="
              + initialBackoff
              + ", maxBackoff="
              + maxBackoff
              + ", unschedulableTimeout="
              + unschedulableTimeout);
    }
  }

  private static final Duration LONGEST_QUARANTINE = Duration.ofMinutes(10);

  /**
   * Returns the time at which a pod may be retried after its {@code count}-th quarantine (from 1).
   */
  Instant quarantineEnd(Instant since, int count) {
    return since.plus(new DoublingPause(initialBackoff, LONGEST_QUARANTINE).before(count));
  }

  /**
   * Returns the time at which a pod may be retried after its {@code count}-th failure (from 1) at
   * {@code since}.
   */
  Instant backoffEnd(Instant since, int count) {
    return since.plus(new DoublingPause(initialBackoff, maxBackoff).before(count));
  }

  /**
   * Returns the time at which a rejected pod may be retried: that of {@link #backoffEnd}, truncated
   * to the second, so that pods whose backoffs end in the same second are tried in order of
   * priority.
   */
  Instant rejectionBackoffEnd(Instant since, int count) {
    return backoffEnd(since, count).truncatedTo(ChronoUnit.SECONDS);
  }
}
