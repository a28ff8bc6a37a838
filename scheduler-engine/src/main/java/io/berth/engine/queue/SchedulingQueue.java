package io.berth.engine.queue;

import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The scheduling queue: the pending units, with the time at which each is tried. A unit is a pod,
 * or several pods that are placed either all together or not at all.
 *
 * <p>A unit is in one place at a time (see {@link QueuePlace}):
 *
 * <pre>
 *             add                      pop                        done
 *   (absent) ─────▶ ACTIVE ───────────────────────▶ IN_FLIGHT ───────────▶ (absent)
 *      │              ▲  ▲                            │     │
 *      │ add          │  │ pause over        rejected │     │ failed
 *      ▼    gate opens│  │                            ▼     ▼
 *    GATED ───────────┘  └──── BACKOFF ◀─── UNSCHEDULABLE   BACKOFF
 *                                    wake: an event that may help, or the timeout
 * </pre>
 *
 * <p>Rules from production experience, which the tests verify:
 *
 * <ol>
 *   <li>A unit that is assumed or bound never enters, regardless of its changes, and is checked
 *       again when it leaves.
 *   <li>An event that occurs while a unit is in flight is taken into account when the unit returns.
 *   <li>A unit that is woken during its backoff waits for the end of the backoff, unless no other
 *       unit is active.
 *   <li>A unit is never in two places, and the result of an attempt for a unit that is not in
 *       flight changes nothing.
 * </ol>
 *
 * <p>Not thread-safe. Every operation is O(log n) in the number of waiting units, except {@link
 * #wake}, which makes one check for each group of similar units that a concerned plugin rejected,
 * and then needs O(log n) for each unit that it moves. The same calls in the same order with the
 * same times return the same results.
 *
 * @param <U> a unit as the engine holds it; never looked into, but handed to the rules
 * @param <E> an event that may cure a rejection
 */
public final class SchedulingQueue<U, E> {

  /**
   * A unit that was popped for an attempt.
   *
   * @param key the unit's key
   * @param unit the unit as of its last update
   * @param attempt the number of times that it was popped, from 1
   * @param firstActive when it first became schedulable
   */
  public record Popped<U>(String key, U unit, int attempt, Instant firstActive) {}

  /**
   * A unit in the queue.
   *
   * @param due the time from which it may be tried without an event; never if only an event decides
   * @param attempts the number of times that it was popped
   * @param rejectedBy the plugins that rejected the last attempt; empty if it failed for another
   *     reason, or there was none
   */
  public record Queued<U>(
      U unit, QueuePlace place, Due due, int attempts, Set<String> rejectedBy) {}

  private final QueueRules<U, E> rules;
  private final QueueTimes times;
  private final Map<String, QueuedUnit<U>> entries = new HashMap<>();
  private final WaitingPlaces<U, E> places;
  private final InFlightEvents<U, E> inFlight = new InFlightEvents<>();
  private long arrivals;

  public SchedulingQueue(QueueRules<U, E> rules, QueueTimes times) {
    this.rules = rules;
    this.times = times;
    this.places = new WaitingPlaces<>(rules);
  }

  /**
   * Adds or updates a unit. A new unit becomes active, or gated. A waiting unit keeps its order of
   * arrival, with its new priority; an unschedulable unit is woken if one of {@code changes} may
   * help it; a gated unit whose last gate was removed becomes active. For a unit in flight, the
   * update takes effect when it returns.
   *
   * @param changes the changes of the unit itself, as events; empty for a new unit
   * @return the part of the queue that the unit is in; {@link QueuePlace#ABSENT} if it is assumed
   *     or bound
   */
  public QueuePlace put(String key, U unit, int priority, List<E> changes, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (rules.isPlaced(key)) {
      if (entry != null && entry.place != QueuePlace.IN_FLIGHT) {
        forget(entry);
      }
      return QueuePlace.ABSENT;
    }
    if (entry == null) {
      entry = new QueuedUnit<>(key, unit, priority, arrivals++, now);
      entries.put(key, entry);
      places.arrive(entry, QueuePlace.ACTIVE, Arrivals.ADDED, now);
      return entry.place;
    }
    if (entry.place == QueuePlace.IN_FLIGHT) {
      entry.unit = unit;
      entry.priority = priority;
      for (E change : changes) {
        inFlight.record(change, key);
      }
      return entry.place;
    }
    QueuePlace place = entry.place;
    leave(entry);
    entry.unit = unit;
    entry.priority = priority;
    switch (place) {
      case ACTIVE, BACKOFF -> places.enter(entry, place);
      case GATED -> {
        if (places.isGated(entry)) {
          places.enter(entry, QueuePlace.GATED);
        } else {
          places.retry(entry, Arrivals.GATES_OPENED, now);
        }
      }
      case UNSCHEDULABLE -> {
        E helpful = firstThatHelps(entry, changes);
        if (helpful != null) {
          places.retry(entry, rules.labelOf(helpful), now);
        } else {
          places.enter(entry, QueuePlace.UNSCHEDULABLE);
        }
      }
      case IN_FLIGHT, ABSENT ->
          throw new IllegalStateException("unit " + key + " waits in place " + place);
    }
    return entry.place;
  }

  /**
   * Removes a unit that is bound, assumed or deleted, in any part of the queue. Returns whether it
   * was known.
   */
  public boolean remove(String key) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry == null) {
      return false;
    }
    forget(entry);
    return true;
  }

  /**
   * Pops the next unit: the one with the highest priority, then the earliest arrival, unless there
   * is another {@linkplain #regroup order}. If no unit is active, a rejected one is popped before
   * its backoff ends; a backoff after a failure is always completed. Empty if no unit may be tried
   * before {@link #nextDue}.
   */
  public Optional<Popped<U>> pop(Instant now) {
    places.advance(now);
    for (QueuedUnit<U> entry = places.firstToTry(); entry != null; entry = places.firstToTry()) {
      if (rules.isPlaced(entry.key)) {
        forget(entry);
        continue;
      }
      if (entry.place == QueuePlace.BACKOFF) {
        places.incoming().count(QueuePlace.ACTIVE, Arrivals.POPPED_FROM_BACKOFF);
      }
      fly(entry);
      entry.attempts++;
      return Optional.of(new Popped<>(entry.key, entry.unit, entry.attempts, entry.firstActive()));
    }
    return Optional.empty();
  }

  /**
   * Records that the unit was placed before it came to this queue, and its Binding is in progress.
   */
  public void assumed(String key) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry != null && entry.place != QueuePlace.IN_FLIGHT) {
      fly(entry);
    }
  }

  /** Records that the unit was placed as a part of another, and its Binding is in progress. */
  public void placedWithOthers(String key, U unit, int priority, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry == null) {
      entry = new QueuedUnit<>(key, unit, priority, arrivals++, now);
      entry.firstActive = now;
      entries.put(key, entry);
      entry.place = QueuePlace.IN_FLIGHT;
      inFlight.start(entry);
    } else {
      assumed(key);
    }
  }

  private void fly(QueuedUnit<U> entry) {
    leave(entry);
    entry.place = QueuePlace.IN_FLIGHT;
    inFlight.start(entry);
  }

  /** Ends a successful attempt: the unit leaves the queue. */
  public void done(String key) {
    QueuedUnit<U> entry = inFlight(key);
    if (entry != null) {
      forget(entry);
    }
  }

  /**
   * Ends an attempt with a rejection. The unit waits for an event that may help or, if one has
   * occurred since it was popped, for the end of its backoff.
   *
   * @param plugins the plugins that rejected it; if empty, this is the same as {@link #failed}
   * @return the part of the queue that the unit is in; {@link QueuePlace#ABSENT} if it was deleted
   *     or placed in the meantime
   */
  public QueuePlace rejected(String key, Set<String> plugins, Instant now) {
    return rejected(key, plugins, Due.NEVER, now);
  }

  /**
   * Ends an attempt as {@link #rejected(String, Set, Instant)} does, with a time to retry even
   * without an event.
   *
   * @param retryAt the time; never if only events decide
   */
  public QueuePlace rejected(String key, Set<String> plugins, Due retryAt, Instant now) {
    if (plugins.isEmpty()) {
      return failed(key, now);
    }
    QueuedUnit<U> entry = takeBack(key, now);
    if (entry == null) {
      return QueuePlace.ABSENT;
    }
    entry.rejectedBy = Set.copyOf(plugins);
    entry.rejections++;
    entry.consecutiveFailures = 0;
    boolean cured =
        entry.activated
            || inFlight.anySince(entry, event -> firstThatHelps(entry, List.of(event)) != null);
    entry.activated = false;
    inFlight.end(entry);
    entry.due = times.rejectionBackoffEnd(now, entry.failures());
    entry.setWakeTime(times.unschedulableTimeout(), retryAt);
    places.arrive(
        entry, cured ? QueuePlace.BACKOFF : QueuePlace.UNSCHEDULABLE, Arrivals.ATTEMPT_FAILED, now);
    return entry.place;
  }

  /**
   * Ends an attempt for a reason outside scheduling, such as a failed Binding. The unit is retried
   * after its backoff.
   *
   * @return the part of the queue that the unit is in; {@link QueuePlace#ABSENT} if it was deleted
   *     or placed in the meantime
   */
  public QueuePlace failed(String key, Instant now) {
    QueuedUnit<U> entry = takeBack(key, now);
    if (entry == null) {
      return QueuePlace.ABSENT;
    }
    entry.rejectedBy = Set.of();
    entry.activated = false;
    inFlight.end(entry);
    backOff(entry, now);
    return entry.place;
  }

  /**
   * Records that a unit in flight is not placed only because limits delay evictions for it.
   *
   * @return when that was recorded first since it entered the queue; {@code now} if never, or if it
   *     was deleted
   */
  public Instant heldSince(String key, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry == null) {
      return now;
    }
    entry.heldSince = Objects.requireNonNullElse(entry.heldSince, now);
    return entry.heldSince;
  }

  private void backOff(QueuedUnit<U> entry, Instant now) {
    entry.consecutiveFailures++;
    entry.due = times.backoffEnd(now, entry.failures());
    places.arrive(entry, QueuePlace.BACKOFF, Arrivals.ATTEMPT_FAILED, now);
  }

  /**
   * Makes an active unit wait for its backoff, as after a failed attempt; has no effect on others.
   */
  public void delay(String key, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry != null && entry.place == QueuePlace.ACTIVE) {
      leave(entry);
      backOff(entry, now);
    }
  }

  /** Cancels an attempt without a result: the unit is retried at once. */
  public void restart(String key, E because, Instant now) {
    QueuedUnit<U> entry = inFlight(key);
    if (entry != null) {
      leave(entry);
      places.arrive(entry, QueuePlace.ACTIVE, rules.labelOf(because), now);
    }
  }

  /**
   * Ends an aborted attempt. The unit is retried after a pause that doubles each time, regardless
   * of other attempts in between.
   *
   * @return the time of the retry; {@code now} if it was deleted or placed in the meantime
   */
  public Instant quarantined(String key, Instant now) {
    QueuedUnit<U> entry = takeBack(key, now);
    if (entry == null) {
      return now;
    }
    entry.rejectedBy = Set.of();
    entry.activated = false;
    entry.quarantines++;
    inFlight.end(entry);
    entry.due = times.quarantineEnd(now, entry.quarantines);
    places.arrive(entry, QueuePlace.BACKOFF, Arrivals.ATTEMPT_FAILED, now);
    return entry.due;
  }

  /**
   * Handles a cluster event: wakes the unschedulable units that it may help, and keeps the event
   * for those in flight. Woken units become active at once, or at the end of their backoff.
   *
   * @return the number of units that were woken
   */
  public int wake(E event, Instant now) {
    inFlight.record(event);
    Collection<QueuedUnit<U>> woken = places.helpedBy(event);
    for (QueuedUnit<U> entry : woken) {
      leave(entry);
      places.retry(entry, rules.labelOf(event), now);
    }
    return woken.size();
  }

  /**
   * Handles an event about one unit: wakes it if it is unschedulable and the event may help it.
   * Call it in addition to {@link #wake(Object, Instant)}, which checks only one of many similar
   * units.
   */
  public void wake(String key, E event, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry != null
        && entry.place == QueuePlace.UNSCHEDULABLE
        && firstThatHelps(entry, List.of(event)) != null) {
      leave(entry);
      places.retry(entry, rules.labelOf(event), now);
    }
  }

  /**
   * Retries the unit regardless of its rejection, at once or at the end of its backoff. A unit in
   * flight is retried if it is rejected.
   *
   * @return whether it was waiting for an event, or is in flight
   */
  public boolean activate(String key, Instant now) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry == null) {
      return false;
    }
    if (entry.place == QueuePlace.IN_FLIGHT) {
      entry.activated = true;
      return true;
    }
    if (entry.place != QueuePlace.UNSCHEDULABLE) {
      return false;
    }
    leave(entry);
    places.retry(entry, Arrivals.ACTIVATED, now);
    return true;
  }

  /**
   * Chooses the next unit by another order from now on, and assigns all active units to its heaps.
   *
   * @param order null for the order of priority and arrival alone
   */
  public void regroup(@Nullable QueueOrder<U> order) {
    places.regroup(order);
  }

  /**
   * Returns, for each value of a property, the unschedulable unit whose last attempt is the longest
   * ago.
   */
  public <K> Map<K, U> longestUntried(Function<U, K> property) {
    Map<K, QueuedUnit<U>> found = new LinkedHashMap<>();
    places
        .unschedulable()
        .forEach(
            entry ->
                found.merge(
                    property.apply(entry.unit),
                    entry,
                    (one, other) -> one.arrival < other.arrival ? one : other));
    Map<K, U> units = new LinkedHashMap<>();
    found.values().stream()
        .sorted(Comparator.comparingLong(entry -> entry.arrival))
        .forEach(entry -> units.put(property.apply(entry.unit), entry.unit));
    return units;
  }

  /** Returns a live view of the number of units that entered each part of the queue, by event. */
  public Arrivals incoming() {
    return places.incoming();
  }

  /** Returns the part of the queue that the unit is in. */
  public QueuePlace placeOf(String key) {
    QueuedUnit<U> entry = entries.get(key);
    return entry == null ? QueuePlace.ABSENT : entry.place;
  }

  /** Returns all units in the queue and in flight, in the order in which they arrived. */
  public List<Queued<U>> units() {
    return entries.values().stream()
        .sorted(Comparator.comparingLong(entry -> entry.arrival))
        .map(
            entry ->
                new Queued<>(
                    entry.unit, entry.place, entry.dueTime(), entry.attempts, entry.rejectedBy))
        .toList();
  }

  /** Returns the number of units in this part of the queue. */
  public int size(QueuePlace place) {
    return switch (place) {
      case IN_FLIGHT -> inFlight.units();
      case ABSENT -> 0;
      case ACTIVE, BACKOFF, UNSCHEDULABLE, GATED -> places.size(place);
    };
  }

  /**
   * Returns the time at which {@link #pop} must be called again without an event: at once if it
   * would return a unit now, never if no timer is running.
   */
  public Due nextDue() {
    return places.nextDue();
  }

  private @Nullable E firstThatHelps(QueuedUnit<U> entry, List<E> events) {
    for (E event : events) {
      for (String plugin : entry.rejectedBy) {
        if (rules.mayHelp(entry.unit, plugin, event)) {
          return event;
        }
      }
    }
    return null;
  }

  /**
   * Removes and returns the entry of a unit whose attempt was unsuccessful; null if it must not
   * wait.
   */
  private @Nullable QueuedUnit<U> takeBack(String key, Instant now) {
    QueuedUnit<U> entry = inFlight(key);
    if (entry == null) {
      return null;
    }
    if (rules.isPlaced(key)) {
      forget(entry);
      return null;
    }
    entry.place = QueuePlace.ABSENT;
    entry.since = now;
    entry.arrival = arrivals++;
    return entry;
  }

  private @Nullable QueuedUnit<U> inFlight(String key) {
    QueuedUnit<U> entry = entries.get(key);
    return entry != null && entry.place == QueuePlace.IN_FLIGHT ? entry : null;
  }

  private void forget(QueuedUnit<U> entry) {
    leave(entry);
    entries.remove(entry.key);
  }

  private void leave(QueuedUnit<U> entry) {
    if (entry.place == QueuePlace.IN_FLIGHT) {
      inFlight.end(entry);
      entry.place = QueuePlace.ABSENT;
    } else {
      places.leave(entry);
    }
  }
}
