package io.berth.engine.quota;

import io.berth.engine.state.SchedulingUnit;
import org.jspecify.annotations.Nullable;

/**
 * The next unit of a queue and its subtree, with the criteria by which the queue is compared with
 * its siblings. Kept until the use of the subtree or one of its first units changes.
 */
final class QueueHead {
  /** The first waiting unit of a leaf; null if there is none. */
  @Nullable SchedulingUnit head;

  /** The leaf of the next unit; null if no unit waits. */
  @Nullable QueueNode leaf;

  /** The needs of the next unit. */
  @Nullable UnitShare unit;

  /** True if the guarantee of the queue would cover the unit. */
  boolean isCovered;

  /** The share of the queue after the unit, and its past share. */
  double share;

  /** True if all this must be determined again. */
  boolean isStale = true;
}
