package io.berth.engine.preemption;

import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;
import java.util.List;

/**
 * The criteria to compare nodes for evictions.
 *
 * @param violations the number of victims whose eviction violates a budget
 * @param highestPriority the priority of the most important victim
 * @param brokenGroups the number of groups that lose their minimum with the victims
 * @param prioritySum the sum of the priorities of all victims, each shifted above zero, so that
 *     more victims weigh more
 * @param victims the number of victims
 * @param earliestStart the earliest start among the victims of the highest priority, see {@link
 *     PodEntry#startNanos}
 */
record Rank(
    int violations,
    int highestPriority,
    int brokenGroups,
    long prioritySum,
    int victims,
    long earliestStart) {
  static final long ABOVE_ZERO = 1L << 31;

  /** Returns the rank of these victims, which are in descending order of importance. */
  static Rank of(List<PodEntry> victims, int violations, int brokenGroups) {
    int highest = victims.getFirst().priority();
    long sum = 0;
    long earliest = victims.getFirst().startNanos();
    for (PodEntry victim : victims) {
      sum += victim.priority() + ABOVE_ZERO;
      long start = victim.startNanos();
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
   * Returns the best possible rank of a node on which at least this many pods have to be evicted.
   *
   * @param mayGo pods in ascending order of importance, at the beginning all that may be evicted
   * @param fewest at least one, and at most the number of pods
   */
  static Rank atBest(PodColumns mayGo, int fewest) {
    int highest = mayGo.priority(fewest - 1);
    long sum = 0;
    long earliest = mayGo.startNanos(fewest - 1);
    for (int i = 0; i < fewest; i++) {
      sum += mayGo.priority(i) + ABOVE_ZERO;
    }
    return new Rank(0, highest, 0, sum, fewest, earliest);
  }

  /** Returns the rank of some victims of one priority, all with this start. */
  static Rank ofEqualVictims(int priority, int victims, long start) {
    return new Rank(0, priority, 0, victims * (priority + ABOVE_ZERO), victims, start);
  }

  /**
   * Returns whether this rank is better than the other: fewer violations, a lower highest priority,
   * fewer groups that lose their minimum, a lower sum of priorities, fewer victims, a later start;
   * false if they are equal.
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
