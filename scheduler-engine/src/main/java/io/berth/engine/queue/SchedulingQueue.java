package io.berth.engine.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pods that wait to be placed, and when each is tried.
 *
 * <p>A pod is in one place at a time (see {@link QueuePlace}):
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
 *   <li>A pod that is assumed or bound never enters, whatever changes in it, and is checked again
 *       when it leaves.
 *   <li>An event that comes while a pod is in flight counts when the pod comes back.
 *   <li>A pod that was woken while its pause lasts waits for the rest of the pause, unless no other
 *       pod is active.
 *   <li>A pod is never in two places, and an answer for a pod that is not in flight changes
 *       nothing.
 * </ol>
 *
 * <p>Not thread-safe. Every operation is O(log n) in the number of waiting pods, but {@link #wake},
 * which asks once per group of alike pods that a plugin rejected to which the event means
 * something, and then pays O(log n) for each pod it moves. The same calls in the same order with
 * the same times give the same answers.
 *
 * @param <P> a pod as the engine holds it; never looked into, but handed to the rules
 * @param <E> an event that may cure a rejection
 */
public final class SchedulingQueue<P, E> {

  /**
   * A pod taken out for an attempt.
   *
   * @param uid the pod's UID
   * @param pod the pod as of its last update
   * @param attempt how many times it was taken out, from 1
   * @param firstActive when it could be taken out for the first time
   */
  public record Popped<P>(String uid, P pod, int attempt, Instant firstActive) {}

  /** The event by which a pod comes that was not known. */
  public static final String ADDED = "UnschedulablePodAdd";

  /** The event by which a gated pod comes whose last gate has opened. */
  public static final String GATES_OPENED = "UnschedulablePodUpdatePodSchedulingGatesEliminated";

  /** The event by which a pod comes back whose attempt ended badly. */
  public static final String ATTEMPT_FAILED = "ScheduleAttemptFailure";

  /** The event by which a pod comes whose pause is over. */
  public static final String BACKOFF_COMPLETE = "BackoffComplete";

  /** The event by which a pod comes whose pause is not over, as no other pod is active. */
  public static final String POPPED_FROM_BACKOFF = "PopFromBackoffQ";

  /** The event by which a pod comes that was to be tried again whatever rejected it. */
  public static final String ACTIVATED = "ForceActivate";

  /** The event by which a pod comes whose rejection named a time to try again. */
  public static final String RETRY_TIME = "RetryTimeReached";

  /** The event by which a pod comes that no event helped for too long. */
  public static final String TIMEOUT = "UnschedulableTimeout";

  private final QueueRules<P, E> rules;
  private final QueueTimes times;
  private final Map<String, QueuedPod<P>> entries = new HashMap<>();
  private final PodHeap<P> active = new PodHeap<>(QueuedPod::byPriority);
  private final PodHeap<P> backoff = new PodHeap<>(QueuedPod::byDue);
  private final PodHeap<P> failed = new PodHeap<>(QueuedPod::byDue);
  private final PodHeap<P> unschedulable = new PodHeap<>(QueuedPod::byWakeTime);
  private final WakeGroups<P> wakeGroups = new WakeGroups<>();
  private final InFlightEvents<P, E> inFlight = new InFlightEvents<>();
  private final Arrivals incoming = new Arrivals();
  private int gated;
  private long arrivals;

  public SchedulingQueue(QueueRules<P, E> rules, QueueTimes times) {
    this.rules = rules;
    this.times = times;
  }

  /**
   * Takes in a pod, or its update. A new pod becomes active, or gated. A waiting one keeps its
   * place in the order (by its new priority); an unschedulable one is woken if one of {@code
   * changes} may help it; a gated one whose gate has opened becomes active. One in flight keeps its
   * new content for when it comes back.
   *
   * @param changes what changed in the pod itself, as events; empty for a pod seen first
   * @return where the pod waits now; {@link QueuePlace#ABSENT} for one that is assumed or bound
   */
  public QueuePlace put(String uid, P pod, int priority, List<E> changes, Instant now) {
    QueuedPod<P> entry = entries.get(uid);
    if (rules.isPlaced(uid)) {
      if (entry != null && entry.place != QueuePlace.IN_FLIGHT) {
        forget(entry);
      }
      return QueuePlace.ABSENT;
    }
    if (entry == null) {
      entry = new QueuedPod<>(uid, pod, priority, arrivals++, now);
      entries.put(uid, entry);
      comes(entry, QueuePlace.ACTIVE, ADDED, now);
      return entry.place;
    }
    if (entry.place == QueuePlace.IN_FLIGHT) {
      entry.pod = pod;
      entry.priority = priority;
      for (E change : changes) {
        inFlight.record(change, uid);
      }
      return entry.place;
    }
    QueuePlace place = entry.place;
    leave(entry);
    entry.pod = pod;
    entry.priority = priority;
    switch (place) {
      case ACTIVE, BACKOFF -> enter(entry, place);
      case GATED -> {
        if (isGated(entry)) {
          enter(entry, QueuePlace.GATED);
        } else {
          retry(entry, GATES_OPENED, now);
        }
      }
      case UNSCHEDULABLE -> {
        E helpful = firstThatHelps(entry, changes);
        if (helpful != null) {
          retry(entry, rules.labelOf(helpful), now);
        } else {
          enter(entry, QueuePlace.UNSCHEDULABLE);
        }
      }
      case IN_FLIGHT, ABSENT ->
          throw new IllegalStateException("pod " + uid + " waits in place " + place);
    }
    return entry.place;
  }

  /** Forgets a pod that is bound, assumed or gone, wherever it is. Answers whether it was known. */
  public boolean remove(String uid) {
    QueuedPod<P> entry = entries.get(uid);
    if (entry == null) {
      return false;
    }
    forget(entry);
    return true;
  }

  /**
   * Takes out the pod to try next: the highest priority first, then the one that came first. While
   * no pod is active, a rejected pod is tried though its pause is not over; a pause after a failure
   * always lasts to its end. Empty when none may be tried before {@link #nextDue}.
   */
  public Optional<Popped<P>> pop(Instant now) {
    advance(now);
    for (QueuedPod<P> entry = firstToTry(); entry != null; entry = firstToTry()) {
      if (rules.isPlaced(entry.uid)) {
        forget(entry);
        continue;
      }
      if (entry.place == QueuePlace.BACKOFF) {
        incoming.count(QueuePlace.ACTIVE, POPPED_FROM_BACKOFF);
      }
      leave(entry);
      entry.place = QueuePlace.IN_FLIGHT;
      entry.attempts++;
      inFlight.start(entry);
      return Optional.of(new Popped<>(entry.uid, entry.pod, entry.attempts, entry.firstActive()));
    }
    return Optional.empty();
  }

  private @Nullable QueuedPod<P> firstToTry() {
    QueuedPod<P> first = active.first();
    return first == null ? backoff.first() : first;
  }

  /** The pod was placed before it came here, and its Binding is under way. */
  public void assumed(String uid) {
    QueuedPod<P> entry = entries.get(uid);
    if (entry != null && entry.place != QueuePlace.IN_FLIGHT) {
      leave(entry);
      entry.place = QueuePlace.IN_FLIGHT;
      inFlight.start(entry);
    }
  }

  /** The attempt ended well: the pod leaves the queue. */
  public void done(String uid) {
    QueuedPod<P> entry = inFlight(uid);
    if (entry != null) {
      forget(entry);
    }
  }

  /**
   * The attempt ended with a rejection. The pod waits for an event that may help, unless one has
   * come since it was taken out; then for the rest of its pause.
   *
   * @param plugins the plugins that rejected it; where there is none, this is {@link #failed}
   * @return where the pod waits now; {@link QueuePlace#ABSENT} if it has gone or was placed
   *     meanwhile
   */
  public QueuePlace rejected(String uid, Set<String> plugins, Instant now) {
    return rejected(uid, plugins, Instant.MAX, now);
  }

  /**
   * As {@link #rejected(String, Set, Instant)}, with a time to try again though no event helps.
   *
   * @param retryAt the time; {@link Instant#MAX} where events alone decide
   */
  public QueuePlace rejected(String uid, Set<String> plugins, Instant retryAt, Instant now) {
    if (plugins.isEmpty()) {
      return failed(uid, now);
    }
    QueuedPod<P> entry = takeBack(uid, now);
    if (entry == null) {
      return QueuePlace.ABSENT;
    }
    entry.rejectedBy = Set.copyOf(plugins);
    entry.rejections++;
    entry.consecutiveFailures = 0;
    boolean cured =
        entry.activated || inFlight.anySince(entry, event -> mayHelp(entry, List.of(event)));
    entry.activated = false;
    inFlight.end(entry);
    entry.due = times.rejectionBackoffEnd(now, entry.failures());
    entry.setWakeTime(times.unschedulableTimeout(), retryAt);
    comes(entry, cured ? QueuePlace.BACKOFF : QueuePlace.UNSCHEDULABLE, ATTEMPT_FAILED, now);
    return entry.place;
  }

  /**
   * The attempt ended for a reason outside scheduling (a failed Binding, say). The pod is tried
   * again when its pause is over.
   *
   * @return where the pod waits now; {@link QueuePlace#ABSENT} if it has gone or was placed
   *     meanwhile
   */
  public QueuePlace failed(String uid, Instant now) {
    QueuedPod<P> entry = takeBack(uid, now);
    if (entry == null) {
      return QueuePlace.ABSENT;
    }
    entry.rejectedBy = Set.of();
    entry.consecutiveFailures++;
    entry.activated = false;
    inFlight.end(entry);
    entry.due = times.backoffEnd(now, entry.failures());
    comes(entry, QueuePlace.BACKOFF, ATTEMPT_FAILED, now);
    return entry.place;
  }

  /**
   * The attempt broke off. The pod is tried again after a pause that doubles each time, however
   * often something else happens to it meanwhile.
   *
   * @return until when it waits; {@code now} if it has gone or was placed meanwhile
   */
  public Instant quarantined(String uid, Instant now) {
    QueuedPod<P> entry = takeBack(uid, now);
    if (entry == null) {
      return now;
    }
    entry.rejectedBy = Set.of();
    entry.activated = false;
    entry.quarantines++;
    inFlight.end(entry);
    entry.due = times.quarantineEnd(now, entry.quarantines);
    comes(entry, QueuePlace.BACKOFF, ATTEMPT_FAILED, now);
    return entry.due;
  }

  /**
   * A cluster event: wakes the unschedulable pods that it may help, and is remembered for those in
   * flight. Woken pods are tried at once if their pause is over, else when it is.
   *
   * @return how many pods were woken
   */
  public int wake(E event, Instant now) {
    inFlight.record(event);
    Set<WakeGroups.Group<P>> helped = new LinkedHashSet<>();
    for (String plugin : wakeGroups.plugins()) {
      if (rules.concerns(plugin, event)) {
        for (WakeGroups.Group<P> group : wakeGroups.rejectedBy(plugin)) {
          if (rules.mayHelp(group.any().pod, plugin, event)) {
            helped.add(group);
          }
        }
      }
    }
    List<QueuedPod<P>> woken = new ArrayList<>();
    helped.forEach(group -> group.addTo(woken));
    for (QueuedPod<P> entry : woken) {
      leave(entry);
      retry(entry, rules.labelOf(event), now);
    }
    return woken.size();
  }

  /**
   * The pod is to be tried again, whatever rejected it: at once if its pause is over, else when it
   * is. A pod in flight is tried again when it comes back rejected.
   *
   * @return whether it waited for an event, or is in flight
   */
  public boolean activate(String uid, Instant now) {
    QueuedPod<P> entry = entries.get(uid);
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
    retry(entry, ACTIVATED, now);
    return true;
  }

  /** How many pods have come to each place so far, and why: a live view. */
  public Arrivals incoming() {
    return incoming;
  }

  /** Where the pod waits. */
  public QueuePlace placeOf(String uid) {
    QueuedPod<P> entry = entries.get(uid);
    return entry == null ? QueuePlace.ABSENT : entry.place;
  }

  /** How many pods wait in this place. */
  public int size(QueuePlace place) {
    return switch (place) {
      case ACTIVE -> active.size();
      case BACKOFF -> backoff.size() + failed.size();
      case UNSCHEDULABLE -> unschedulable.size();
      case GATED -> gated;
      case IN_FLIGHT -> inFlight.pods();
      case ABSENT -> 0;
    };
  }

  /**
   * When {@link #pop} has to be asked again though nothing happens: {@link Instant#MIN} while it
   * would give a pod, {@link Instant#MAX} when nothing timed is waiting.
   */
  public Instant nextDue() {
    if (firstToTry() != null) {
      return Instant.MIN;
    }
    Instant due = Instant.MAX;
    QueuedPod<P> first = failed.first();
    if (first != null) {
      due = first.due;
    }
    first = unschedulable.first();
    if (first != null && first.wakeTime.isBefore(due)) {
      due = first.wakeTime;
    }
    return due;
  }

  /** Moves what is due at {@code now} to where {@link #pop} finds it. */
  private void advance(Instant now) {
    for (QueuedPod<P> entry = unschedulable.first();
        entry != null && !entry.wakeTime.isAfter(now);
        entry = unschedulable.first()) {
      leave(entry);
      retry(entry, entry.wakesAtRetryTime ? RETRY_TIME : TIMEOUT, now);
    }
    endPauses(backoff, now);
    endPauses(failed, now);
  }

  private void endPauses(PodHeap<P> paused, Instant now) {
    for (QueuedPod<P> entry = paused.first();
        entry != null && !entry.due.isAfter(now);
        entry = paused.first()) {
      leave(entry);
      comes(entry, QueuePlace.ACTIVE, BACKOFF_COMPLETE, now);
    }
  }

  private void retry(QueuedPod<P> entry, String event, Instant now) {
    comes(entry, entry.due.isAfter(now) ? QueuePlace.BACKOFF : QueuePlace.ACTIVE, event, now);
  }

  private boolean mayHelp(QueuedPod<P> entry, List<E> events) {
    return firstThatHelps(entry, events) != null;
  }

  private @Nullable E firstThatHelps(QueuedPod<P> entry, List<E> events) {
    for (E event : events) {
      for (String plugin : entry.rejectedBy) {
        if (rules.mayHelp(entry.pod, plugin, event)) {
          return event;
        }
      }
    }
    return null;
  }

  /**
   * The entry of a pod whose attempt has ended badly, out of its place; null if it must not wait.
   */
  private @Nullable QueuedPod<P> takeBack(String uid, Instant now) {
    QueuedPod<P> entry = inFlight(uid);
    if (entry == null) {
      return null;
    }
    if (rules.isPlaced(uid)) {
      forget(entry);
      return null;
    }
    entry.place = QueuePlace.ABSENT;
    entry.since = now;
    entry.arrival = arrivals++;
    return entry;
  }

  private @Nullable QueuedPod<P> inFlight(String uid) {
    QueuedPod<P> entry = entries.get(uid);
    return entry != null && entry.place == QueuePlace.IN_FLIGHT ? entry : null;
  }

  private void forget(QueuedPod<P> entry) {
    leave(entry);
    entries.remove(entry.uid);
  }

  /** Enters a place in which it was not before, because of an event. */
  private void comes(QueuedPod<P> entry, QueuePlace wanted, String event, Instant now) {
    enter(entry, wanted);
    incoming.count(entry.place, event);
    if (entry.place == QueuePlace.ACTIVE && entry.firstActive == null) {
      entry.firstActive = now;
    }
  }

  private PodHeap<P> pausesOf(QueuedPod<P> entry) {
    return entry.rejectedBy.isEmpty() ? failed : backoff;
  }

  private boolean isGated(QueuedPod<P> entry) {
    return rules.gatedBy(entry.pod).isPresent();
  }

  /** Into the wanted place; a pod with a closed gate goes nowhere but to the gated ones. */
  private void enter(QueuedPod<P> entry, QueuePlace wanted) {
    entry.place = isGated(entry) ? QueuePlace.GATED : wanted;
    switch (entry.place) {
      case ACTIVE -> active.add(entry);
      case BACKOFF -> pausesOf(entry).add(entry);
      case UNSCHEDULABLE -> {
        unschedulable.add(entry);
        wakeGroups.add(entry, rules.shapeOf(entry.pod));
      }
      case GATED -> gated++;
      case IN_FLIGHT, ABSENT ->
          throw new IllegalStateException("pod " + entry.uid + " cannot wait in " + entry.place);
    }
  }

  private void leave(QueuedPod<P> entry) {
    switch (entry.place) {
      case ACTIVE -> active.remove(entry);
      case BACKOFF -> pausesOf(entry).remove(entry);
      case UNSCHEDULABLE -> {
        unschedulable.remove(entry);
        wakeGroups.remove(entry);
      }
      case GATED -> gated--;
      case IN_FLIGHT -> inFlight.end(entry);
      case ABSENT -> throw new IllegalStateException("pod " + entry.uid + " is in no place");
    }
    entry.place = QueuePlace.ABSENT;
  }
}
