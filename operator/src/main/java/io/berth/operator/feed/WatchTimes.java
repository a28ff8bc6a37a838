package io.berth.operator.feed;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The time limits of watches.
 *
 * <p>A watch lasts less than a minute, because an API server checks the right to watch only when a
 * watch begins, and because a connection that died silently is found out by the end that did not
 * come.
 *
 * @param shortest the shortest time for which a watch is asked; the longest is a third more, so
 *     that watches do not begin in step
 * @param overdue how long after that time its end is waited for before the connection counts as
 *     dead
 * @param answer how long an API server may take to begin an answer
 * @param firstPause the pause after a first failure, doubled with each further one
 * @param longestPause what the pause is doubled up to; jitter adds up to as much again
 * @param grace how long a kind may go unseen before a replica says that it is not ready
 * @param termLimit how long a leader may go without seeing pods, nodes or policies
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

  /** A time for which to ask a watch. */
  Duration lasting() {
    return shortest.plusMillis(ThreadLocalRandom.current().nextLong(shortest.toMillis() / 3 + 1));
  }

  /** The pause after the given number of failures in a row, counted from 1. */
  Duration pauseAfter(int failures) {
    long millis = firstPause.toMillis() << Math.min(failures - 1, 10);
    long base = Math.min(millis, longestPause.toMillis());
    return Duration.ofMillis(base + ThreadLocalRandom.current().nextLong(base + 1));
  }
}
