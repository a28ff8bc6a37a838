package io.berth.operator.record;

import io.berth.operator.record.ObjectEvent.Subject;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;

/**
 * Decides which reports become new events, which only increase the count of an event, and which are
 * not written, with client-go's limits. Not thread-safe: guarded by its {@link EventRecorder}.
 *
 * <p>(1) Repetitions of an event about the same object within {@link #SERIES_WINDOW} form a series.
 * (2) Events that differ only in their note are similar: from the tenth note within {@link
 * #SIMILAR_WINDOW} on, they are combined into one event, which forms a series in turn. (3) All
 * writes about one object, including counts, take tokens from a bucket of {@link #BURST}, refilled
 * with one every {@link #REFILL}.
 */
final class EventCorrelator {

  static final Duration SERIES_WINDOW = Duration.ofMinutes(6);
  static final Duration SERIES_PAUSE = Duration.ofSeconds(30);
  static final Duration SIMILAR_WINDOW = Duration.ofMinutes(10);
  static final int DISTINCT_NOTES = 10;
  static final int BURST = 25;
  static final Duration REFILL = Duration.ofMinutes(5);
  static final String COMBINED = "(combined from similar events): ";

  private static final int REMEMBERED = 20_000;

  private final Map<ObjectEvent, Series> series = new Lru<>();
  private final Map<ObjectEvent, Similar> similar = new Lru<>();
  private final Map<Subject, Tokens> tokens = new Lru<>();

  /** The action for a report. */
  sealed interface Action {}

  /** Write a new event. */
  record Create(Series series) implements Action {}

  /** Write the count of an existing event. */
  record Count(Series series) implements Action {}

  /** Write nothing, because a later write will include the count. */
  record Wait() implements Action {}

  /** Write nothing, because the object has exceeded its rate limit. */
  record Suppress() implements Action {}

  /** An event that is written, and the number of its occurrences. */
  static final class Series {
    private final ObjectEvent key;
    private final ObjectEvent event;
    private final Instant began;
    private boolean created;
    private int count = 1;
    private Instant lastSeen;
    private Instant lastWritten;

    Series(ObjectEvent key, ObjectEvent event, Instant at) {
      this.key = key;
      this.event = event;
      this.began = at;
      this.lastSeen = at;
      this.lastWritten = at;
    }

    ObjectEvent event() {
      return event;
    }

    Instant began() {
      return began;
    }

    int count() {
      return count;
    }

    Instant lastSeen() {
      return lastSeen;
    }
  }

  /** The notes of similar events. */
  private static final class Similar {
    private final LinkedHashSet<String> notes = new LinkedHashSet<>();
    private Instant lastSeen = Instant.MIN;
  }

  /** A token bucket. */
  private static final class Tokens {
    private double left = BURST;
    private Instant at;

    Tokens(Instant at) {
      this.at = at;
    }

    boolean take(Instant now) {
      double refilled = Duration.between(at, now).toMillis() / (double) REFILL.toMillis();
      left = Math.min(BURST, left + Math.max(0, refilled));
      at = now;
      if (left < 1) {
        return false;
      }
      left--;
      return true;
    }
  }

  private static final class Lru<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1L;

    Lru() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
      return size() > REMEMBERED;
    }
  }

  /** Returns the action for a report. */
  Action correlate(ObjectEvent event, Instant at) {
    boolean combined = isCombined(event, at);
    ObjectEvent key = combined ? event.withNote(COMBINED) : event;
    Series known = series.get(key);
    if (known != null && known.lastSeen.plus(SERIES_WINDOW).isBefore(at)) {
      series.remove(key);
      known = null;
    }
    if (known == null) {
      if (!mayWrite(event.regarding(), at)) {
        return new Suppress();
      }
      ObjectEvent written = combined ? event.withNote(COMBINED + event.note()) : event;
      Series begun = new Series(key, written, at);
      series.put(key, begun);
      return new Create(begun);
    }
    known.count++;
    known.lastSeen = at;
    boolean due = known.count == 2 || !known.lastWritten.plus(SERIES_PAUSE).isAfter(at);
    if (!known.created || !due) {
      return new Wait();
    }
    if (!mayWrite(event.regarding(), at)) {
      return new Suppress();
    }
    known.lastWritten = at;
    return new Count(known);
  }

  /** Records that the event of a series exists on the API server. */
  void created(Series written) {
    written.created = true;
  }

  /**
   * Records that the event of a series does not exist on the API server: the next report starts a
   * new one.
   */
  void forget(Series lost) {
    series.remove(lost.key, lost);
  }

  private boolean isCombined(ObjectEvent event, Instant at) {
    Similar group = similar.computeIfAbsent(event.withNote(""), unseen -> new Similar());
    if (group.lastSeen.isBefore(at.minus(SIMILAR_WINDOW))) {
      group.notes.clear();
    }
    group.lastSeen = at;
    group.notes.add(event.note());
    if (group.notes.size() < DISTINCT_NOTES) {
      return false;
    }
    group.notes.removeFirst();
    return true;
  }

  private boolean mayWrite(Subject about, Instant at) {
    return tokens.computeIfAbsent(about, unseen -> new Tokens(at)).take(at);
  }
}
