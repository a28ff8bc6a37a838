package io.berth.engine.lifecycle;

import io.berth.engine.framework.Change;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.SchedulingUnit;
import io.berth.engine.state.Timer;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * Retries of units that may reclaim resources since the use of a tenants' queue has changed. No
 * event wakes them, because the use of other queues decides what they may evict.
 *
 * <p>A round tries one unit of each kind. The queues take turns in it, so that a tenant whose pods
 * are all different does not delay the others. A long round is finished before the next one begins,
 * which it does not within {@link #BETWEEN_LONG_ROUNDS}: otherwise a cluster whose use changes all
 * the time would do nothing else, and never reach the kinds at the end.
 */
final class ReclaimRetries implements Timer {
  /** The number of units that are tried before new pods have a turn; a round of more is long. */
  static final int TOGETHER = 32;

  /** The minimum time between the begin of a long round and that of the next round. */
  static final Duration BETWEEN_LONG_ROUNDS = Duration.ofSeconds(1);

  private final Quotas quotas;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final AwaitedVictims awaited;
  private final Function<SchedulingUnit, Object> kindOf;

  /** The units of this round that remain to be tried. */
  private final Deque<SchedulingUnit> remaining = new ArrayDeque<>();

  private long version = -1;
  private boolean wantsRound;

  /** The number of units of this round that were tried. */
  private int tried;

  /** The time before which the next round does not begin, if this one turns out to be long. */
  private Due afterLongRound = Due.AT_ONCE;

  /** The time before which no round begins. */
  private Due nextRound = Due.AT_ONCE;

  /**
   * @param kindOf returns an equal object for units that fit on the same nodes
   */
  ReclaimRetries(
      Quotas quotas,
      SchedulingQueue<SchedulingUnit, Change> queue,
      AwaitedVictims awaited,
      Function<SchedulingUnit, Object> kindOf) {
    this.quotas = quotas;
    this.queue = queue;
    this.awaited = awaited;
    this.kindOf = kindOf;
  }

  /**
   * Activates units. Of each queue, this is first the unit whose last attempt is the longest ago;
   * if that has changed nothing, such a unit of each kind, some at a time.
   *
   * @return whether there was any
   */
  boolean retry(Instant now) {
    if (quotas.version() != version) {
      version = quotas.version();
      wantsRound = true;
      if (activate(queue.longestUntried(quotas::queueOf).values(), now)) {
        return true;
      }
    }
    if (wantsRound && remaining.isEmpty() && nextRound.isReached(now)) {
      wantsRound = false;
      tried = 0;
      afterLongRound = Due.at(now.plus(BETWEEN_LONG_ROUNDS));
      beginRound();
    }
    int before = tried;
    while (tried < before + TOGETHER && !remaining.isEmpty()) {
      if (activate(List.of(remaining.remove()), now)) {
        tried++;
      }
    }
    if (tried > TOGETHER) {
      nextRound = afterLongRound;
    }
    return tried > before;
  }

  /** Collects a unit of each kind: the first of each queue, then the second, and so on. */
  private void beginRound() {
    IdentityHashMap<Object, Deque<SchedulingUnit>> byQueue = new IdentityHashMap<>();
    Deque<Deque<SchedulingUnit>> turns = new ArrayDeque<>();
    for (SchedulingUnit unit : queue.longestUntried(kindOf).values()) {
      Object tenant = quotas.queueOf(unit);
      Deque<SchedulingUnit> ofTenant = byQueue.get(tenant);
      if (ofTenant == null) {
        ofTenant = new ArrayDeque<>();
        byQueue.put(tenant, ofTenant);
        turns.add(ofTenant);
      }
      ofTenant.add(unit);
    }
    while (!turns.isEmpty()) {
      Deque<SchedulingUnit> turn = turns.remove();
      remaining.add(turn.remove());
      if (!turn.isEmpty()) {
        turns.add(turn);
      }
    }
  }

  /** Returns the time at which the next round may begin; never if none is wanted. */
  @Override
  public Due due() {
    return wantsRound && quotas.areUsed() ? nextRound : Due.NEVER;
  }

  /** Ends the time between two rounds. The engine then retries before it is idle. */
  @Override
  public void run(Instant now) {
    nextRound = Due.AT_ONCE;
  }

  private boolean activate(Collection<SchedulingUnit> units, Instant now) {
    boolean any = false;
    for (SchedulingUnit unit : units) {
      any |=
          queue.placeOf(unit.key()) == QueuePlace.UNSCHEDULABLE
              && !awaited.isWaiting(unit.key())
              && quotas.mayReclaim(unit)
              && queue.activate(unit.key(), now);
    }
    return any;
  }
}
