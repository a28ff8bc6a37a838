package io.berth.engine.queue;

import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the queue in which units wait, each in the order in which units leave it. A unit
 * with a closed gate can only enter the gated part.
 */
final class WaitingPlaces<U, E> {
  private final QueueRules<U, E> rules;
  private final ActiveUnits<U> active = new ActiveUnits<>();

  /** Backoffs after rejections. */
  private final UnitHeap<U> backoff = new UnitHeap<>(QueuedUnit::byDue);

  /** Backoffs that are always completed: after failures, and of units that always pause. */
  private final UnitHeap<U> failed = new UnitHeap<>(QueuedUnit::byDue);

  private final UnitHeap<U> unschedulable = new UnitHeap<>(QueuedUnit::byWakeTime);
  private final WakeGroups<U> wakeGroups;
  private final Arrivals incoming = new Arrivals();
  private int gated;

  WaitingPlaces(QueueRules<U, E> rules) {
    this.rules = rules;
    this.wakeGroups = new WakeGroups<>(rules);
  }

  /** Returns a live view of the number of units that entered each part of the queue, by event. */
  Arrivals incoming() {
    return incoming;
  }

  /** Chooses the next unit by another order; by priority and arrival alone if it is null. */
  void regroup(@Nullable QueueOrder<U> next) {
    List<QueuedUnit<U>> ready = active.entries();
    List<QueuedUnit<U>> others = new ArrayList<>(backoff.entries());
    others.addAll(failed.entries());
    others.addAll(unschedulable.entries());
    ready.forEach(active::remove);
    ready.forEach(this::endWait);
    others.forEach(this::endWait);
    active.regroup(next);
    others.forEach(this::beginWait);
    ready.forEach(this::beginWait);
    ready.forEach(active::add);
  }

  private void beginWait(QueuedUnit<U> entry) {
    QueueOrder<U> order = active.order();
    if (order != null) {
      entry.heapKey = order.heapOf(entry.unit);
      order.waitingChanged(entry.heapKey, entry.priority, 1);
    }
  }

  private void endWait(QueuedUnit<U> entry) {
    QueueOrder<U> order = active.order();
    if (order != null && entry.heapKey != null) {
      order.waitingChanged(entry.heapKey, entry.priority, -1);
    }
    entry.heapKey = null;
  }

  boolean isGated(QueuedUnit<U> entry) {
    return rules.gatedBy(entry.unit).isPresent();
  }

  /** Adds the entry, which was in another part before, because of an event. */
  void arrive(QueuedUnit<U> entry, QueuePlace wanted, String event, Instant now) {
    enter(entry, wanted);
    incoming.count(entry.place, event);
    if (entry.place == QueuePlace.ACTIVE && entry.firstActive == null) {
      entry.firstActive = now;
    }
  }

  /** Schedules a retry of the entry, at once or at the end of its backoff. */
  void retry(QueuedUnit<U> entry, String event, Instant now) {
    arrive(entry, entry.due.isAfter(now) ? QueuePlace.BACKOFF : QueuePlace.ACTIVE, event, now);
  }

  /** Adds the entry to the wanted part, or to the gated ones. */
  void enter(QueuedUnit<U> entry, QueuePlace wanted) {
    entry.place = isGated(entry) ? QueuePlace.GATED : wanted;
    if (entry.place != QueuePlace.GATED) {
      beginWait(entry);
    }
    switch (entry.place) {
      case ACTIVE -> active.add(entry);
      case BACKOFF -> pausesOf(entry).add(entry);
      case UNSCHEDULABLE -> {
        unschedulable.add(entry);
        wakeGroups.add(entry, rules.shapeOf(entry.unit));
      }
      case GATED -> gated++;
      case IN_FLIGHT, ABSENT ->
          throw new IllegalStateException("unit " + entry.key + " cannot wait in " + entry.place);
    }
  }

  /** Removes the entry from its part of the queue. */
  void leave(QueuedUnit<U> entry) {
    switch (entry.place) {
      case ACTIVE -> active.remove(entry);
      case BACKOFF -> pausesOf(entry).remove(entry);
      case UNSCHEDULABLE -> {
        unschedulable.remove(entry);
        wakeGroups.remove(entry);
      }
      case GATED -> gated--;
      case IN_FLIGHT, ABSENT ->
          throw new IllegalStateException("unit " + entry.key + " waits nowhere: " + entry.place);
    }
    endWait(entry);
    entry.place = QueuePlace.ABSENT;
  }

  private UnitHeap<U> pausesOf(QueuedUnit<U> entry) {
    return entry.rejectedBy.isEmpty() || rules.alwaysPauses(entry.unit) ? failed : backoff;
  }

  /** Returns the unit to try next; null if none may be tried now. */
  @Nullable QueuedUnit<U> firstToTry() {
    QueuedUnit<U> first = active.first();
    return first == null ? backoff.first() : first;
  }

  /** Returns the units that wait for an event and that this one may help. */
  Collection<QueuedUnit<U>> helpedBy(E event) {
    Map<WakeGroups.Group<U>, Integer> helped = new LinkedHashMap<>();
    for (String plugin : wakeGroups.plugins()) {
      if (rules.concerns(plugin, event)) {
        wakeGroups.visit(
            plugin,
            priority -> rules.offeredBy(event, plugin, priority),
            group -> {
              if (rules.mayHelp(group.any().unit, plugin, event)) {
                helped.merge(group, rules.mostHelped(group.any().unit, plugin, event), Math::max);
              }
            });
      }
    }
    List<QueuedUnit<U>> units = new ArrayList<>();
    helped.forEach((group, most) -> group.addTo(units, most));
    return units;
  }

  /** Moves the units whose wait or backoff is over to the part where they are tried. */
  void advance(Instant now) {
    for (QueuedUnit<U> entry = unschedulable.first();
        entry != null && !entry.wakeTime.isAfter(now);
        entry = unschedulable.first()) {
      leave(entry);
      String event = entry.wakesAtRetryTime ? Arrivals.RETRY_TIME : Arrivals.TIMEOUT;
      retry(entry, event, now);
    }
    endPauses(backoff, now);
    endPauses(failed, now);
  }

  private void endPauses(UnitHeap<U> paused, Instant now) {
    for (QueuedUnit<U> entry = paused.first();
        entry != null && !entry.due.isAfter(now);
        entry = paused.first()) {
      leave(entry);
      arrive(entry, QueuePlace.ACTIVE, Arrivals.BACKOFF_COMPLETE, now);
    }
  }

  /** Returns the time at which {@link #advance} will provide a unit to try. */
  Due nextDue() {
    if (firstToTry() != null) {
      return Due.AT_ONCE;
    }
    QueuedUnit<U> pausing = failed.first();
    QueuedUnit<U> waiting = unschedulable.first();
    Due due = pausing == null ? Due.NEVER : Due.at(pausing.due);
    return waiting == null ? due : due.orEarlier(Due.at(waiting.wakeTime));
  }

  /** Returns the units that wait for an event, in any order. */
  List<QueuedUnit<U>> unschedulable() {
    return unschedulable.entries();
  }

  /** Returns the number of units in this part of the queue. */
  int size(QueuePlace place) {
    return switch (place) {
      case ACTIVE -> active.size();
      case BACKOFF -> backoff.size() + failed.size();
      case UNSCHEDULABLE -> unschedulable.size();
      case GATED -> gated;
      case IN_FLIGHT, ABSENT -> throw new IllegalArgumentException("nothing waits in " + place);
    };
  }
}
