package io.berth.engine.quota;

import io.berth.engine.state.GroupEntry;
import java.util.Arrays;
import java.util.List;

/**
 * The needs of a waiting unit: a pod its request, a group the requests of all members that have to
 * be placed together.
 */
final class UnitShare {
  private final QueueNode leaf;
  private final long[] amounts;
  private final long[] own;
  private final int priority;

  /**
   * @param amounts the amounts that it needs
   * @param own the part of these that is counted already, because pods of the unit are nominated
   * @param priority the lowest priority of its pods
   */
  UnitShare(QueueNode leaf, long[] amounts, long[] own, int priority) {
    this.leaf = leaf;
    this.amounts = amounts;
    this.own = own;
    this.priority = priority;
  }

  QueueNode leaf() {
    return leaf;
  }

  /** Returns the amounts that it needs; not to be changed. */
  long[] amounts() {
    return amounts;
  }

  /** Returns the amounts that are counted already; not to be changed. */
  long[] own() {
    return own;
  }

  int priority() {
    return priority;
  }

  /** Returns the number of members that the group has to place together; at least one. */
  static int lackedBy(GroupEntry group) {
    int ofRoles = group.missingRoles().values().stream().mapToInt(Integer::intValue).sum();
    return Math.max(1, Math.max(ofRoles, group.missing()));
  }

  /**
   * Returns the largest sum that this number of the requests can have in each resource, so that it
   * holds whichever members are placed.
   */
  static long[] largest(List<long[]> requests, int number, int resources) {
    long[] sum = new long[resources];
    for (int i = 0; i < resources; i++) {
      int resource = i;
      long[] sorted = requests.stream().mapToLong(request -> request[resource]).toArray();
      Arrays.sort(sorted);
      for (int k = 0; k < Math.min(number, sorted.length); k++) {
        sum[i] += sorted[sorted.length - 1 - k];
      }
    }
    return sum;
  }
}
