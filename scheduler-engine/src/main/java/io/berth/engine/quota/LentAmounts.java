package io.berth.engine.quota;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The part of each guarantee that the pods of its queue do not fill and that is not free either,
 * because others borrow it: next to the queue, or next to a queue above it. As far as their pods
 * may be evicted, the queue can take it back. What is free counts for each queue by itself.
 */
final class LentAmounts {
  private final long[] free;
  private final IdentityHashMap<QueueNode, long[]> lent = new IdentityHashMap<>();

  private LentAmounts(QueueNode root, long[] capacity) {
    this.free = capacity.clone();
    for (QueueNode child : root.children) {
      for (int i = 0; i < free.length; i++) {
        if (capacity[i] != Capacity.UNKNOWN) {
          free[i] = Math.max(0, free[i] - child.use[i]);
        }
      }
    }
  }

  /** Returns the amounts of all queues; 0 for resources whose capacity is unknown. */
  static Map<QueueNode, long[]> of(QueueNode root, long[] capacity) {
    LentAmounts amounts = new LentAmounts(root, capacity);
    amounts.add(root, new long[capacity.length], capacity);
    return amounts.lent;
  }

  /**
   * Determines the amounts of the queues below one.
   *
   * @param beside what others borrow next to it and next to the queues above it
   */
  private void add(QueueNode node, long[] beside, long[] capacity) {
    long[] inAll = beside.clone();
    node.children.forEach(child -> AmountVectors.add(inAll, child.borrowed()));
    for (QueueNode child : node.children) {
      long[] byOthers = inAll.clone();
      long[] borrowed = child.borrowed();
      AmountVectors.subtract(byOthers, borrowed);
      long[] here = new long[free.length];
      for (int i = 0; i < here.length; i++) {
        if (capacity[i] != Capacity.UNKNOWN) {
          long covered = child.use[i] - borrowed[i];
          long missing = child.guaranteed(i) - covered - free[i];
          here[i] = Math.max(0, Math.min(byOthers[i], missing));
        }
      }
      lent.put(child, here);
      add(child, byOthers, capacity);
    }
  }
}
