package io.berth.engine.queue;

import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The entry of one unit: in one part of the queue at a time, with its position there. */
final class QueuedUnit<U> {
  final String key;
  U unit;
  int priority;

  /** The order of arrival, renewed after every failed attempt. */
  long arrival;

  QueuePlace place = QueuePlace.ABSENT;
  int attempts;
  int rejections;
  int consecutiveFailures;
  int quarantines;

  /** The time when it first became schedulable; null while its gates are closed. */
  @Nullable Instant firstActive;

  /** The time of the first attempt that only limits of evictions ended; null if there was none. */
  @Nullable Instant heldSince;

  /** The time when the last attempt ended, or the unit was added. */
  Instant since;

  /** The end of the backoff. */
  Instant due;

  /** The time of the next retry without an event; set by a rejection. */
  Instant wakeTime;

  /** True if the rejection set {@link #wakeTime}; otherwise it is the end of the longest wait. */
  boolean wakesAtRetryTime;

  /** True if an in-flight unit is to be retried even if no event helps. */
  boolean activated;

  /** The plugins that rejected the last attempt; empty if it failed for another reason. */
  Set<String> rejectedBy = Set.of();

  /** The position in the heap of its part of the queue. */
  int heapIndex = -1;

  /** The heap of a waiting unit while it is active; null if there is only one. */
  @Nullable Object heapKey;

  /** The group in which it waits while unschedulable. */
  WakeGroups.@Nullable Group<U> group;

  /** The position in {@link #group}. */
  int groupIndex = -1;

  /** The sequence number of the first event after the unit was popped. */
  long firstEvent;

  QueuedUnit(String key, U unit, int priority, long arrival, Instant now) {
    this.key = key;
    this.unit = unit;
    this.priority = priority;
    this.arrival = arrival;
    this.since = now;
    this.due = now;
    this.wakeTime = now;
  }

  /** Returns the time when it first became schedulable; it must have been tried. */
  Instant firstActive() {
    return Objects.requireNonNull(firstActive, "never active");
  }

  /** Returns the number of consecutive failures, for the backoff; 0 before the first attempt. */
  int failures() {
    return consecutiveFailures > 0 ? consecutiveFailures : rejections;
  }

  /** Returns the time from which it may be tried without an event; never if only one decides. */
  Due dueTime() {
    return switch (place) {
      case ACTIVE -> Due.AT_ONCE;
      case BACKOFF -> Due.at(due);
      case UNSCHEDULABLE -> Due.at(wakeTime);
      case GATED, IN_FLIGHT, ABSENT -> Due.NEVER;
    };
  }

  /** Sets the time of the retry without an event, after a rejection. */
  void setWakeTime(Duration longestWait, Due retryAt) {
    Duration wait = retryAt.pause(since, longestWait);
    wakesAtRetryTime = wait.compareTo(longestWait) < 0;
    wakeTime = since.plus(wait);
  }

  static <U> int byPriority(QueuedUnit<U> a, QueuedUnit<U> b) {
    int byPriority = Integer.compare(b.priority, a.priority);
    return byPriority != 0 ? byPriority : Long.compare(a.arrival, b.arrival);
  }

  static <U> int byDue(QueuedUnit<U> a, QueuedUnit<U> b) {
    int byDue = a.due.compareTo(b.due);
    return byDue != 0 ? byDue : byPriority(a, b);
  }

  static <U> int byWakeTime(QueuedUnit<U> a, QueuedUnit<U> b) {
    int byTime = a.wakeTime.compareTo(b.wakeTime);
    return byTime != 0 ? byTime : byPriority(a, b);
  }
}
