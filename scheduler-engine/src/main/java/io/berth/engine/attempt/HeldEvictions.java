package io.berth.engine.attempt;

import io.berth.engine.api.WaitCause;
import io.berth.engine.framework.PreemptionRules;
import io.berth.engine.queue.SchedulingQueue;
import io.berth.engine.time.Due;
import java.time.Duration;
import java.time.Instant;

/**
 * The time for which a unit waits for evictions that limits of its policy delay before it asks for
 * a node. Without an end, a unit that others always come before would never ask.
 */
final class HeldEvictions {
  /** The longest time, counted from the first attempt whose evictions were delayed. */
  private static final Duration LONGEST = Duration.ofMinutes(1);

  /**
   * The end of an attempt without evictions.
   *
   * @param retryAt the time to retry even without an event
   */
  record Wait(WaitCause cause, Due retryAt) {}

  private HeldEvictions() {}

  /**
   * Returns the cause that a unit in flight reports, and when it is retried. A policy that only
   * reports evictions holds none.
   *
   * @param cause what its preemption waits for
   * @param retryAt the time from which its evictions may be possible
   */
  static Wait waitOf(
      String key,
      WaitCause cause,
      Due retryAt,
      PreemptionRules rules,
      SchedulingQueue<?, ?> queue,
      Instant now) {
    if (cause != WaitCause.EVICTIONS_HELD) {
      return new Wait(cause, retryAt);
    }
    if (rules.isDryRun()) {
      return new Wait(WaitCause.NO_ROOM, retryAt);
    }
    Due end = Due.at(queue.heldSince(key, now).plus(LONGEST));
    return end.isReached(now)
        ? new Wait(WaitCause.NO_ROOM, retryAt)
        : new Wait(cause, retryAt.orEarlier(end));
  }
}
