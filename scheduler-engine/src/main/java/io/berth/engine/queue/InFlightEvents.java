package io.berth.engine.queue;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The events during attempts, kept until the last unit that was popped before them has returned: a
 * rejection that an event has resolved in the meantime must not wait for the next event.
 */
final class InFlightEvents<U, E> {

  /**
   * The maximum number of events. Beyond it, the oldest are dropped, and units that should have
   * seen them are retried.
   */
  static final int LIMIT = 10_000;

  private record Entry<E>(E event, @Nullable String onlyKey) {}

  /** In the order in which they were popped. */
  private final Map<String, QueuedUnit<U>> inFlight = new LinkedHashMap<>();

  private final ArrayDeque<Entry<E>> events = new ArrayDeque<>();

  /** The sequence number of the first event in {@link #events}. */
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

  /** Returns whether an event since the unit was popped satisfies the test, or has been dropped. */
  boolean anySince(QueuedUnit<U> entry, Predicate<E> test) {
    if (entry.firstEvent < firstKept) {
      return true;
    }
    if (entry.firstEvent == firstKept + events.size()) {
      return false; // Almost always: the kept events are older, and are needed for units that are
      // being bound.
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
