package io.berth.engine.state;

import java.util.Arrays;

/** The largest amounts that pods on each node hold of the resources with fixed columns. */
final class LargestAmounts {
  /** The number of amounts that are kept for each node and resource. */
  private static final int KEPT = 4;

  /** By resource: the amounts of a node in descending order, one node after the other. */
  private final long[][] amounts = new long[ResourceNames.FIXED][0];

  void grow(int capacity) {
    for (int column = 0; column < amounts.length; column++) {
      amounts[column] = Arrays.copyOf(amounts[column], capacity * KEPT);
    }
  }

  /** Removes all pods of a node. */
  void clear(int slot) {
    for (long[] column : amounts) {
      Arrays.fill(column, slot * KEPT, (slot + 1) * KEPT, 0);
    }
  }

  /** Adds a pod on a node. */
  void include(int slot, PodEntry pod) {
    int[] columns = pod.shared.heldColumns();
    long[] held = pod.shared.heldAmounts();
    for (int i = 0; i < columns.length; i++) {
      if (columns[i] < amounts.length) {
        insert(amounts[columns[i]], slot * KEPT, held[i]);
      }
    }
  }

  private static void insert(long[] column, int from, long amount) {
    int at = from + KEPT - 1;
    if (amount <= column[at]) {
      return;
    }
    for (; at > from && column[at - 1] < amount; at--) {
      column[at] = column[at - 1];
    }
    column[at] = amount;
  }

  /**
   * Returns a lower bound of the number of these pods that hold an amount together.
   *
   * @param amount positive
   * @return at least 1; the maximum value if it is known that all pods hold less
   */
  long fewestThatHold(int column, long amount, int slot) {
    long left = amount;
    long each = 0;
    for (int i = 0; i < KEPT; i++) {
      each = amounts[column][slot * KEPT + i];
      left -= each;
      if (left <= 0) {
        return i + 1L;
      }
    }
    return each <= 0 ? Long.MAX_VALUE : KEPT + Math.ceilDiv(left, each);
  }
}
