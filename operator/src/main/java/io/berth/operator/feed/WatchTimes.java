package io.berth.operator.feed;

import io.berth.rules.retry.DoublingPause;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The timeouts and delays of watches.
 *
 * <p>A watch lasts less than a minute, because an API server checks the permission to watch only
 * when a watch begins, and because a connection that died silently is detected by the missing end
 * of the watch.
 *
 * @param shortest the minimum duration that a watch requests; the maximum is a third longer, so
 *     that watches do not begin in lockstep
 * @param overdue how long the end of a watch may be overdue before the connection counts as dead
 * @param answer how long the API server may take to begin a response
 * @param firstPause the delay after the first failure, which doubles with each further failure
 * @param longestPause the maximum of the delay before jitter; jitter adds up to 100 %
 * @param grace how long a watch may fail before the replica reports that it is not ready
 * @param termLimit how long a leader may lead without receiving pods, nodes or policies
 */
public record WatchTimes(
    Duration shortest,
    Duration overdue,
    Duration answer,
    Duration firstPause,
    Duration longestPause,
    Duration grace,
    Duration termLimit) {

  public static WatchTimes defaults() {
    return new WatchTimes(
        Duration.ofSeconds(30),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofMillis(800),
        Duration.ofSeconds(15),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1));
  }

  /** Returns the duration for a new watch, with jitter. */
  Duration lasting() {
    return shortest.plusMillis(ThreadLocalRandom.current().nextLong(shortest.toMillis() / 3 + 1));
  }

  /** Returns the delay after this number of consecutive failures, from 1. */
  Duration pauseAfter(int failures) {
    long base = new DoublingPause(firstPause, longestPause).before(failures).toMillis();
    return Duration.ofMillis(base + ThreadLocalRandom.current().nextLong(base + 1));
  }
}
