package io.berth.engine.queue;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** The number of units that arrived at each place, by event. */
public final class Arrivals {
  /** The event by which a unit comes that was not known. */
  public static final String ADDED = "UnschedulablePodAdd";

  /** The event by which a gated unit comes whose last gate has opened. */
  public static final String GATES_OPENED = "UnschedulablePodUpdatePodSchedulingGatesEliminated";

  /** The event by which a unit comes back whose attempt ended badly. */
  public static final String ATTEMPT_FAILED = "ScheduleAttemptFailure";

  /** The event by which a unit comes whose pause is over. */
  public static final String BACKOFF_COMPLETE = "BackoffComplete";

  /** The event by which a unit comes whose pause is not over, as no other unit is active. */
  public static final String POPPED_FROM_BACKOFF = "PopFromBackoffQ";

  /** The event by which a unit comes that was to be tried again whatever rejected it. */
  public static final String ACTIVATED = "ForceActivate";

  /** The event by which a unit comes whose rejection named a time to try again. */
  public static final String RETRY_TIME = "RetryTimeReached";

  /** The event by which a unit comes that no event helped for too long. */
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
