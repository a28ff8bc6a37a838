package io.berth.engine.queue;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The events that came while pods were in flight, kept until the last pod that was taken out before
 * them is back: a rejection that an event has meanwhile cured must not wait for the next.
 */
final class InFlightEvents<P, E> {

  /** Beyond this many events the oldest are forgotten; pods that should have seen them retry. */
  static final int LIMIT = 10_000;

  private record Entry<E>(E event, @Nullable String onlyUid) {}

  /** In the order in which they were taken out. */
  private final Map<String, QueuedPod<P>> inFlight = new LinkedHashMap<>();

  private final ArrayDeque<Entry<E>> events = new ArrayDeque<>();

  /** Number of the first event in {@link #events}, counted from the beginning of time. */
  private long firstKept;

  void start(QueuedPod<P> entry) {
    entry.firstEvent = firstKept + events.size();
    inFlight.put(entry.uid, entry);
  }

  void end(QueuedPod<P> entry) {
    inFlight.remove(entry.uid);
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

  void record(E event, String onlyUid) {
    record(new Entry<>(event, onlyUid));
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

  /** Whether an event since the pod was taken out satisfies the test, or is no longer known. */
  boolean anySince(QueuedPod<P> entry, Predicate<E> test) {
    if (entry.firstEvent < firstKept) {
      return true;
    }
    if (entry.firstEvent == firstKept + events.size()) {
      return false; // as nearly always: the many that are kept came before, for pods being bound
    }
    long number = firstKept;
    for (Iterator<Entry<E>> it = events.iterator(); it.hasNext(); number++) {
      Entry<E> candidate = it.next();
      if (number >= entry.firstEvent
          && (candidate.onlyUid == null || candidate.onlyUid.equals(entry.uid))
          && test.test(candidate.event)) {
        return true;
      }
    }
    return false;
  }

  int pods() {
    return inFlight.size();
  }

  int events() {
    return events.size();
  }
}
