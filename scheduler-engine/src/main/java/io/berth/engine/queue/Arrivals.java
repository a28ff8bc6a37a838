package io.berth.engine.queue;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;

/** How many units have come to each place, by the event that brought them. */
public final class Arrivals {
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
