package io.berth.engine.lifecycle;

import io.berth.engine.framework.Change;
import io.berth.engine.preemption.AwaitedVictims;
import io.berth.engine.queue.QueuePlace;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.quota.Quotas;
import io.berth.engine.state.SchedulingUnit;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * Retries of units that may reclaim resources since the use of a tenants' queue has changed. No
 * event wakes them, because the use of other queues decides what they may evict.
 */
final class ReclaimRetries {
  /** The number of units that are tried before new pods have a turn. */
  static final int TOGETHER = 32;

  private final Quotas quotas;
  private final SchedulingQueue<SchedulingUnit, Change> queue;
  private final AwaitedVictims awaited;
  private final Function<SchedulingUnit, Object> kindOf;

  /** Units of other kinds that remain to be tried for this version. */
  private final Deque<SchedulingUnit> remaining = new ArrayDeque<>();

  private long version = -1;
  private boolean triedQueuesOnly;

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
      triedQueuesOnly = true;
      remaining.clear();
      if (activate(queue.longestUntried(quotas::queueOf).values(), now)) {
        return true;
      }
    }
    if (triedQueuesOnly) {
      triedQueuesOnly = false;
      remaining.addAll(queue.longestUntried(kindOf).values());
    }
    boolean any = false;
    for (int tried = 0; tried < TOGETHER && !remaining.isEmpty(); ) {
      if (activate(List.of(remaining.remove()), now)) {
        any = true;
        tried++;
      }
    }
    return any;
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
