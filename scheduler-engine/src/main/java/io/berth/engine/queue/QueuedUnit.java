package io.berth.engine.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One unit's entry: in one place at a time, with its position there. */
final class QueuedUnit<U> {
  final String key;
  U unit;
  int priority;

  /** Order of arrival, renewed whenever an attempt has failed. */
  long arrival;

  QueuePlace place = QueuePlace.ABSENT;
  int attempts;
  int rejections;
  int consecutiveFailures;
  int quarantines;

  /** The time at which it could be tried first; null while its gates are closed. */
  @Nullable Instant firstActive;

  /** The time at which the last attempt ended, or the unit was added. */
  Instant since;

  /** The end of the backoff. */
  Instant due;

  /** The time at which it is tried again without an event; set by a rejection. */
  Instant wakeTime = Instant.MAX;

  /** True if the rejection named {@link #wakeTime}; else it is the end of the longest wait. */
  boolean wakesAtRetryTime;

  /** True if it is to be tried again even if no event helps; for a unit in flight. */
  boolean activated;

  /** Plugins that rejected the last attempt; empty where it failed for another reason. */
  Set<String> rejectedBy = Set.of();

  /** Position in the heap of its place. */
  int heapIndex = -1;

  /** The group it waits in while unschedulable. */
  WakeGroups.@Nullable Group<U> group;

  /** Position in {@link #group}. */
  int groupIndex = -1;

  /** Number of the first event that came after the unit was taken out. */
  long firstEvent;

  QueuedUnit(String key, U unit, int priority, long arrival, Instant now) {
    this.key = key;
    this.unit = unit;
    this.priority = priority;
    this.arrival = arrival;
    this.since = now;
    this.due = now;
  }

  /** Returns the time at which it could be tried first; it has been tried. */
  Instant firstActive() {
    return Objects.requireNonNull(firstActive, "never active");
  }

  /** Returns the number of failures in a row, for the backoff; 0 before the first attempt. */
  int failures() {
    return consecutiveFailures > 0 ? consecutiveFailures : rejections;
  }

  /** Sets when it is tried again though no event helps, after a rejection. */
  void setWakeTime(Duration longestWait, Instant retryAt) {
    Instant timeout = since.plus(longestWait);
    wakesAtRetryTime = retryAt.isBefore(timeout);
    wakeTime = wakesAtRetryTime ? retryAt : timeout;
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
