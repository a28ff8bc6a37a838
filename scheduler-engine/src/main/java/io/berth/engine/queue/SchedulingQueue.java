package io.berth.engine.queue;

import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The units that wait to be placed, and when each is tried. A unit is a pod, or several that are
 * placed together or not at all.
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
 * <p>What production taught, and the tests hold:
 *
 * <ol>
 *   <li>A unit that is assumed or bound never enters, whatever changes in it, and is checked again
 *       when it leaves.
 *   <li>An event that comes while a unit is in flight counts when the unit comes back.
 *   <li>A unit that was woken while its pause lasts waits for the rest of the pause, unless no
 *       other unit is active.
 *   <li>A unit is never in two places, and an answer for a unit that is not in flight changes
 *       nothing.
 * </ol>
 *
 * <p>Not thread-safe. Every operation is O(log n) in the number of waiting units, but {@link
 * #wake}, which asks once per group of alike units that a plugin rejected to which the event means
 * something, and then pays O(log n) for each unit it moves. The same calls in the same order with
 * the same times give the same answers.
 *
 * @param <U> a unit as the engine holds it; never looked into, but handed to the rules
 * @param <E> an event that may cure a rejection
 */
public final class SchedulingQueue<U, E> {

  /**
   * A unit taken out for an attempt.
   *
   * @param key the unit's key
   * @param unit the unit as of its last update
   * @param attempt how many times it was taken out, from 1
   * @param firstActive when it could be taken out for the first time
   */
  public record Popped<U>(String key, U unit, int attempt, Instant firstActive) {}

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
   * Takes in a unit, or its update. A new unit becomes active, or gated. A waiting one keeps its
   * place in the order (by its new priority); an unschedulable one is woken if one of {@code
   * changes} may help it; a gated one whose gate has opened becomes active. One in flight keeps its
   * new content for when it comes back.
   *
   * @param changes what changed in the unit itself, as events; empty for a unit seen first
   * @return where the unit waits now; {@link QueuePlace#ABSENT} for one that is assumed or bound
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
   * Forgets a unit that is bound, assumed or gone, wherever it is. Answers whether it was known.
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
   * Takes out the unit to try next: the highest priority first, then the one that came first. While
   * no unit is active, a rejected one is tried though its pause is not over; a pause after a
   * failure always lasts to its end. Empty when none may be tried before {@link #nextDue}.
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

  /** The unit was placed before it came here, and its Binding is under way. */
  public void assumed(String key) {
    QueuedUnit<U> entry = entries.get(key);
    if (entry != null && entry.place != QueuePlace.IN_FLIGHT) {
      fly(entry);
    }
  }

  /** The unit was placed as a part of another, and its Binding is under way. */
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

  /** The attempt ended well: the unit leaves the queue. */
  public void done(String key) {
    QueuedUnit<U> entry = inFlight(key);
    if (entry != null) {
      forget(entry);
    }
  }

  /**
   * The attempt ended with a rejection. The unit waits for an event that may help, unless one has
   * come since it was taken out; then for the rest of its pause.
   *
   * @param plugins the plugins that rejected it; where there is none, this is {@link #failed}
   * @return where the unit waits now; {@link QueuePlace#ABSENT} if it has gone or was placed
   *     meanwhile
   */
  public QueuePlace rejected(String key, Set<String> plugins, Instant now) {
    return rejected(key, plugins, Instant.MAX, now);
  }

  /**
   * As {@link #rejected(String, Set, Instant)}, with a time to try again though no event helps.
   *
   * @param retryAt the time; {@link Instant#MAX} where events alone decide
   */
  public QueuePlace rejected(String key, Set<String> plugins, Instant retryAt, Instant now) {
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
   * The attempt ended for a reason outside scheduling (a failed Binding, say). The unit is tried
   * again when its pause is over.
   *
   * @return where the unit waits now; {@link QueuePlace#ABSENT} if it has gone or was placed
   *     meanwhile
   */
  public QueuePlace failed(String key, Instant now) {
    QueuedUnit<U> entry = takeBack(key, now);
    if (entry == null) {
      return QueuePlace.ABSENT;
    }
    entry.rejectedBy = Set.of();
    entry.consecutiveFailures++;
    entry.activated = false;
    inFlight.end(entry);
    entry.due = times.backoffEnd(now, entry.failures());
    places.arrive(entry, QueuePlace.BACKOFF, Arrivals.ATTEMPT_FAILED, now);
    return entry.place;
  }

  /** The attempt is given up before it has come to anything: the unit is tried again at once. */
  public void restart(String key, E because, Instant now) {
    QueuedUnit<U> entry = inFlight(key);
    if (entry != null) {
      leave(entry);
      places.arrive(entry, QueuePlace.ACTIVE, rules.labelOf(because), now);
    }
  }

  /**
   * The attempt broke off. The unit is tried again after a pause that doubles each time, however
   * often something else happens to it meanwhile.
   *
   * @return until when it waits; {@code now} if it has gone or was placed meanwhile
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
   * A cluster event: wakes the unschedulable units that it may help, and is remembered for those in
   * flight. Woken units are tried at once if their pause is over, else when it is.
   *
   * @return how many units were woken
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
   * An event about one unit: wakes it if it is unschedulable and the event may help it. To be
   * called beside {@link #wake(Object, Instant)}, which asks about one of many alike units.
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
   * The unit is to be tried again, whatever rejected it: at once if its pause is over, else when it
   * is. A unit in flight is tried again when it comes back rejected.
   *
   * @return whether it waited for an event, or is in flight
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

  /** Returns a live view of the number of units that arrived at each place, by event. */
  public Arrivals incoming() {
    return places.incoming();
  }

  /** Returns the place of the unit. */
  public QueuePlace placeOf(String key) {
    QueuedUnit<U> entry = entries.get(key);
    return entry == null ? QueuePlace.ABSENT : entry.place;
  }

  /** Returns the number of units in this place. */
  public int size(QueuePlace place) {
    return switch (place) {
      case IN_FLIGHT -> inFlight.units();
      case ABSENT -> 0;
      case ACTIVE, BACKOFF, UNSCHEDULABLE, GATED -> places.size(place);
    };
  }

  /**
   * Returns the time at which {@link #pop} must be called again without an event: {@link
   * Instant#MIN} while it would give a unit, {@link Instant#MAX} when nothing timed is waiting.
   */
  public Instant nextDue() {
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
   * The entry of a unit whose attempt has ended badly, out of its place; null if it must not wait.
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
