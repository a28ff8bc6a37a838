package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.util.Comparator;
import java.util.List;

/**
 * All that nodes are compared by when pods have to be evicted from one of them.
 *
 * @param violations how many of the victims their budgets do not allow to be evicted
 * @param highestPriority the most important victim's priority
 * @param brokenGroups how many groups lose their minimum with the victims
 * @param prioritySum of all victims, each raised above zero, so that more victims weigh more
 * @param victims how many
 * @param earliestStart of the victims of the highest priority, see {@link Importance#startOf}
 */
record Rank(
    int violations,
    int highestPriority,
    int brokenGroups,
    long prioritySum,
    int victims,
    long earliestStart) {
  static final long ABOVE_ZERO = 1L << 31;

  /** The pod of the lowest priority first, and of equal priority the one that started last. */
  private static final Comparator<PodEntry> LEAST_IMPORTANT_FIRST =
      Importance.MORE_IMPORTANT_FIRST.reversed();

  /** The rank of these victims, the most important of them first. */
  static Rank of(List<PodEntry> victims, int violations, int brokenGroups) {
    int highest = victims.getFirst().priority();
    long sum = 0;
    long earliest = Importance.startOf(victims.getFirst());
    for (PodEntry victim : victims) {
      sum += victim.priority() + ABOVE_ZERO;
      long start = Importance.startOf(victim);
      if (victim.priority() > highest) {
        highest = victim.priority();
        earliest = start;
      } else if (victim.priority() == highest) {
        earliest = Math.min(earliest, start);
      }
    }
    return new Rank(violations, highest, brokenGroups, sum, victims.size(), earliest);
  }

  /**
   * The best rank that a node can have on which at least so many pods have to go, whatever else
   * decides on which.
   *
   * @param mayGo the pods that may be among them; they are put into another order
   */
  static Rank atBest(List<PodEntry> mayGo, int fewest) {
    mayGo.sort(LEAST_IMPORTANT_FIRST);
    return of(mayGo.subList(0, fewest), 0, 0);
  }

  /**
   * Returns whether to evict here rather than there: fewer violations, a lower highest priority,
   * fewer groups that lose their minimum, a lower sum of priorities, fewer victims, a later start;
   * of equal ones neither.
   */
  boolean isBetterThan(Rank other) {
    if (violations != other.violations) {
      return violations < other.violations;
    }
    if (highestPriority != other.highestPriority) {
      return highestPriority < other.highestPriority;
    }
    if (brokenGroups != other.brokenGroups) {
      return brokenGroups < other.brokenGroups;
    }
    if (prioritySum != other.prioritySum) {
      return prioritySum < other.prioritySum;
    }
    if (victims != other.victims) {
      return victims < other.victims;
    }
    return earliestStart > other.earliestStart;
  }
}
