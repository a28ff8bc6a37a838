package io.berth.engine.queue;

import org.jspecify.annotations.Nullable;

/**
 * The choice of the next among the active units. Units wait in one or more heaps, each in the order
 * of priority and then of arrival; the order chooses the heap. It is no comparator of units,
 * because its criteria, such as shares of resources, change while units wait.
 *
 * @param <U> the type of units
 */
public interface QueueOrder<U> {
  /**
   * Returns the heap in which the unit waits, compared by identity. If it changes, the queue must
   * be {@linkplain SchedulingQueue#regroup regrouped}.
   */
  Object heapOf(U unit);

  /**
   * Records the first unit of a heap.
   *
   * @param first null if the heap is empty
   */
  void headChanged(Object heap, @Nullable U first);

  /**
   * Records that a unit begins or ends to wait: active, during its backoff, or for an event. Units
   * whose gates are closed, and those in flight, do not wait.
   *
   * @param heap the heap in which it waits while it is active
   * @param change 1 if it begins, -1 if it ends
   */
  void waitingChanged(Object heap, int priority, int change);

  /** Returns the heap whose first unit is next; null if all heaps are empty. */
  @Nullable Object next();
}
