package io.berth.engine.queue;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** The number of units that entered each part of the queue, by event. */
public final class Arrivals {
  /** The event of a new unit. */
  public static final String ADDED = "UnschedulablePodAdd";

  /** The event of a gated unit whose last gate has been removed. */
  public static final String GATES_OPENED = "UnschedulablePodUpdatePodSchedulingGatesEliminated";

  /** The event of a unit whose attempt was unsuccessful. */
  public static final String ATTEMPT_FAILED = "ScheduleAttemptFailure";

  /** The event of a unit whose backoff has completed. */
  public static final String BACKOFF_COMPLETE = "BackoffComplete";

  /**
   * The event of a unit that is tried before its backoff has completed, because no other unit is
   * active.
   */
  public static final String POPPED_FROM_BACKOFF = "PopFromBackoffQ";

  /** The event of a unit that is retried regardless of its rejection. */
  public static final String ACTIVATED = "ForceActivate";

  /** The event of a unit whose rejection set a time to retry. */
  public static final String RETRY_TIME = "RetryTimeReached";

  /** The event of a unit that no event has helped for too long. */
  public static final String TIMEOUT = "UnschedulableTimeout";

  /** Receives a count. */
  @FunctionalInterface
  public interface Visitor {
    void visit(QueuePlace place, String event, long units);
  }

  private final Map<QueuePlace, Map<String, Long>> counts = new EnumMap<>(QueuePlace.class);

  void count(QueuePlace place, String event) {
    counts.computeIfAbsent(place, absent -> new TreeMap<>()).merge(event, 1L, Long::sum);
  }

  /** Visits every count. */
  public void forEach(Visitor visitor) {
    counts.forEach(
        (place, events) -> events.forEach((event, units) -> visitor.visit(place, event, units)));
  }
}
