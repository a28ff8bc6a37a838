package io.berth.demo.simulation;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * Time that advances from task to task: tasks run one after the other, in the order of their times,
 * and those of one time in the order in which they were added.
 */
final class VirtualTime {
  private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::number));
  private final Random random;
  private final Runnable afterTask;
  private long now;
  private long added;

  private record Task(long at, long number, Runnable run) {}

  /**
   * @param afterTask runs after every task, at the same time
   */
  VirtualTime(long seed, Runnable afterTask) {
    this.random = new Random(seed);
    this.afterTask = afterTask;
  }

  /** Returns the time since the beginning, in nanoseconds. */
  long nanoTime() {
    return now;
  }

  /** Runs a task after a delay. */
  void later(Duration pause, Runnable task) {
    at(now + Math.max(0, pause.toNanos()), task);
  }

  /** Runs a task at a time, in nanoseconds. */
  void at(long time, Runnable task) {
    tasks.add(new Task(Math.max(now, time), added++, task));
  }

  /** Returns the source of chance. */
  RandomGenerator random() {
    return random;
  }

  /** Returns a random duration between two others. */
  Duration between(Duration least, Duration most) {
    return Duration.ofNanos(random.nextLong(least.toNanos(), most.toNanos() + 1));
  }

  /** Runs all tasks of the next span of time. */
  void advance(Duration span) {
    long end = now + span.toNanos();
    for (Task next = tasks.peek(); next != null && next.at() <= end; next = tasks.peek()) {
      tasks.remove();
      now = next.at();
      next.run().run();
      afterTask.run();
    }
    now = end;
  }

  Instant instant() {
    return BEGIN.plusNanos(now);
  }

  /** Returns this time as a clock. */
  Clock clock() {
    return new Clock() {
      @Override
      public ZoneId getZone() {
        return ZoneOffset.UTC;
      }

      @Override
      public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("the simulation has one zone, UTC");
      }

      @Override
      public Instant instant() {
        return VirtualTime.this.instant();
      }
    };
  }
}
