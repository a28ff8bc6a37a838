package io.berth.engine.quota;

import io.berth.engine.state.GroupEntry;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The needs of a waiting unit: a pod its request, a group the requests of all members that have to
 * be placed together.
 */
final class UnitShare {
  private final QueueNode leaf;
  private final long[] amounts;
  private final long[] own;
  private final List<PodShare> reserved;
  private final int priority;

  /**
   * @param amounts the amounts that it needs
   * @param reserved its pods that are counted already, because they are nominated
   * @param priority the lowest priority of its pods
   */
  UnitShare(QueueNode leaf, long[] amounts, List<PodShare> reserved, int priority) {
    this.leaf = leaf;
    this.amounts = amounts;
    this.own = new long[amounts.length];
    reserved.forEach(share -> AmountVectors.add(own, share.amounts));
    this.reserved = reserved;
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

  /** Returns its pods that are counted already. */
  List<PodShare> reserved() {
    return reserved;
  }

  /** Returns the amounts of those of its pods that are counted already and meet a condition. */
  long[] reservedIf(Predicate<PodShare> condition) {
    long[] sum = new long[amounts.length];
    reserved.stream().filter(condition).forEach(share -> AmountVectors.add(sum, share.amounts));
    return sum;
  }

  /**
   * Returns the share of a queue with this unit, which is in its subtree. What the unit has
   * reserved does not count twice.
   *
   * @param isCovered whether the guarantee of the queue covers the unit
   */
  double shareOf(QueueNode queue, boolean isCovered, Capacity capacity) {
    return queue.share(
        isCovered ? capacity.nothing() : amounts,
        reservedBeyond(queue, capacity),
        capacity.amounts());
  }

  /** Returns the share of a queue without this unit, and without what it has reserved. */
  double shareWithout(QueueNode queue, Capacity capacity) {
    return queue.share(capacity.nothing(), reservedBeyond(queue, capacity), capacity.amounts());
  }

  private long[] reservedBeyond(QueueNode queue, Capacity capacity) {
    return reserved.isEmpty() ? capacity.nothing() : reservedIf(share -> !queue.covers(share));
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
