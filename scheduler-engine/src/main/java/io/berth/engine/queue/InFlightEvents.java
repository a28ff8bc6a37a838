package io.berth.engine.queue;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The events that came while units were in flight, kept until the last unit that was taken out
 * before them is back: a rejection that an event has meanwhile cured must not wait for the next.
 */
final class InFlightEvents<U, E> {

  /** Beyond this many events the oldest are forgotten; units that should have seen them retry. */
  static final int LIMIT = 10_000;

  private record Entry<E>(E event, @Nullable String onlyKey) {}

  /** In the order in which they were taken out. */
  private final Map<String, QueuedUnit<U>> inFlight = new LinkedHashMap<>();

  private final ArrayDeque<Entry<E>> events = new ArrayDeque<>();

  /** Number of the first event in {@link #events}, counted from the beginning of time. */
  private long firstKept;

  void start(QueuedUnit<U> entry) {
    entry.firstEvent = firstKept + events.size();
    inFlight.put(entry.key, entry);
  }

  void end(QueuedUnit<U> entry) {
    inFlight.remove(entry.key);
    if (inFlight.isEmpty()) {
      firstKept += events.size();
      events.clear();
      return;
    }
    long needed = inFlight.values().iterator().next().firstEvent;
    while (firstKept < needed) {
      events.removeFirst();
      firstKept++;
    }
  }

  void record(E event) {
    record(new Entry<>(event, null));
  }

  void record(E event, String onlyKey) {
    record(new Entry<>(event, onlyKey));
  }

  private void record(Entry<E> entry) {
    if (inFlight.isEmpty()) {
      return;
    }
    if (events.size() == LIMIT) {
      events.removeFirst();
      firstKept++;
    }
    events.addLast(entry);
  }

  /**
   * Returns whether an event since the unit was taken out satisfies the test, or is no longer
   * known.
   */
  boolean anySince(QueuedUnit<U> entry, Predicate<E> test) {
    if (entry.firstEvent < firstKept) {
      return true;
    }
    if (entry.firstEvent == firstKept + events.size()) {
      return false; // as nearly always: the many that are kept came before, for units being bound
    }
    long number = firstKept;
    for (Iterator<Entry<E>> it = events.iterator(); it.hasNext(); number++) {
      Entry<E> candidate = it.next();
      if (number >= entry.firstEvent
          && (candidate.onlyKey == null || candidate.onlyKey.equals(entry.key))
          && test.test(candidate.event)) {
        return true;
      }
    }
    return false;
  }

  int units() {
    return inFlight.size();
  }

  int events() {
    return events.size();
  }
}
