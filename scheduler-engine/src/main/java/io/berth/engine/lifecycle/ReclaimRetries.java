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
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.function.Function;

/**
 * Retries of units that may reclaim resources since the use of a tenants' queue has changed. No
 * event wakes them, because the use of other queues decides what they may evict.
 *
 * <p>A round judges one unit of each kind, and tries it if it may reclaim. The queues take turns in
 * it, so that a tenant whose pods are all different does not delay the others. A long round is
 * finished before the next one begins, which it does not within {@link #BETWEEN_LONG_ROUNDS}:
 * otherwise a cluster whose use changes all the time would do nothing else, and never reach the
 * kinds at the end. So it is with the search for the oldest unit of each queue, unless it has
 * helped.
 */
final class ReclaimRetries implements Timer {
  /** The number of units that are judged before new pods have a turn; a round of more is long. */
  static final int TOGETHER = 32;

  /** The number of waiting units above which searching them counts as long, too. */
  private static final int CROWDED = 1_000;

  /** The minimum time between the begin of a long round and that of the next round. */
  static final Duration BETWEEN_LONG_ROUNDS = Duration.ofSeconds(1);

  private final Quotas quotas;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final AwaitedVictims awaited;
  private final Function<SchedulingUnit, Object> kindOf;

  /** The units of this round that remain to be tried. */
  private final Deque<SchedulingUnit> remaining = new ArrayDeque<>();

  private long version = -1;

  /** The units that wait for the longest time, one of each queue, that remain to be judged. */
  private final Deque<SchedulingUnit> oldest = new ArrayDeque<>();

  private boolean wantsPass;

  /** True if one of them was activated. */
  private boolean passHelped;

  /** The time before which they are not searched again. */
  private Due nextPass = Due.AT_ONCE;

  private boolean wantsRound;

  /** The number of units of this round that were judged, whether or not they may reclaim. */
  private int judged;

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
   * if that has changed nothing, such a unit of each kind. Judges at most {@link #TOGETHER} units.
   *
   * @return whether it activated any, or has more to judge
   */
  boolean retry(Instant now) {
    if (quotas.version() != version) {
      version = quotas.version();
      wantsPass = true;
      wantsRound = true;
    }
    int budget = TOGETHER;
    if (wantsPass && oldest.isEmpty() && nextPass.isReached(now)) {
      wantsPass = false;
      passHelped = false;
      oldest.addAll(queue.longestUntried(quotas::queueOf).values());
      nextPass = oldest.size() > TOGETHER || isCrowded() ? afterPause(now) : Due.AT_ONCE;
    }
    boolean any = false;
    for (; budget > 0 && !oldest.isEmpty(); budget--) {
      any |= activate(oldest.remove(), now);
    }
    passHelped |= any;
    if (passHelped) {
      nextPass = Due.AT_ONCE; // the next unit of these queues may take back more
    }
    if (any || !oldest.isEmpty()) {
      return true;
    }
    if (wantsRound && remaining.isEmpty() && nextRound.isReached(now)) {
      wantsRound = false;
      judged = 0;
      afterLongRound = afterPause(now);
      beginRound();
      nextRound = isCrowded() ? afterLongRound : Due.AT_ONCE;
    }
    for (; budget > 0 && !remaining.isEmpty(); budget--) {
      any |= activate(remaining.remove(), now);
      judged++;
    }
    if (judged > TOGETHER) {
      nextRound = afterLongRound;
    } else if (any) {
      nextRound = Due.AT_ONCE;
    }
    return any || !remaining.isEmpty();
  }

  private static Due afterPause(Instant now) {
    return Due.at(now.plus(BETWEEN_LONG_ROUNDS));
  }

  /** Returns whether looking through all waiting units takes long. */
  private boolean isCrowded() {
    return queue.size(QueuePlace.UNSCHEDULABLE) > CROWDED;
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

  /** Returns the time at which the next search may begin; never if none is wanted. */
  @Override
  public Due due() {
    if (!quotas.areUsed()) {
      return Due.NEVER;
    }
    return (wantsPass ? nextPass : Due.NEVER).orEarlier(wantsRound ? nextRound : Due.NEVER);
  }

  /** Ends the time between two searches. The engine then retries before it is idle. */
  @Override
  public void run(Instant now) {
    nextPass = nextPass.isReached(now) ? Due.AT_ONCE : nextPass;
    nextRound = nextRound.isReached(now) ? Due.AT_ONCE : nextRound;
  }

  private boolean activate(SchedulingUnit unit, Instant now) {
    return queue.placeOf(unit.key()) == QueuePlace.UNSCHEDULABLE
        && !awaited.isWaiting(unit.key())
        && quotas.mayReclaim(unit)
        && queue.activate(unit.key(), now);
  }
}
