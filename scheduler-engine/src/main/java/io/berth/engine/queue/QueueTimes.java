package io.berth.engine.queue;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The waiting times of pods.
 *
 * @param initialBackoff the pause after a first failed attempt; doubled with each further one
 * @param maxBackoff the longest such pause
 * @param unschedulableTimeout after which a pod that no event has woken is tried again anyhow
 */
public record QueueTimes(
    Duration initialBackoff, Duration maxBackoff, Duration unschedulableTimeout) {

  /** One second doubling to ten, and five minutes: kube-scheduler's. */
  public static final QueueTimes DEFAULT =
      new QueueTimes(Duration.ofSeconds(1), Duration.ofSeconds(10), Duration.ofMinutes(5));

  /** Refuses durations that are negative, and a longest pause below the first. */
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
   * Returns the time at which a pod that was quarantined for the {@code count}-th time (from 1) may
   * be tried.
   */
  Instant quarantineEnd(Instant since, int count) {
    return since.plus(doubled(count, LONGEST_QUARANTINE));
  }

  /**
   * Returns the time at which a pod that failed for the {@code count}-th time (from 1) at {@code
   * since} may be tried.
   */
  Instant backoffEnd(Instant since, int count) {
    return since.plus(doubled(count, maxBackoff));
  }

  private Duration doubled(int count, Duration longest) {
    Duration pause = initialBackoff;
    for (int i = 1; i < count && pause.compareTo(longest) < 0; i++) {
      pause = pause.multipliedBy(2);
    }
    return pause.compareTo(longest) < 0 ? pause : longest;
  }

  /**
   * Returns the time at which a rejected pod may be tried: as {@link #backoffEnd}, at the beginning
   * of that second, so that pods whose pauses end in the same second are tried in the order of
   * their priorities.
   */
  Instant rejectionBackoffEnd(Instant since, int count) {
    return backoffEnd(since, count).truncatedTo(ChronoUnit.SECONDS);
  }
}
