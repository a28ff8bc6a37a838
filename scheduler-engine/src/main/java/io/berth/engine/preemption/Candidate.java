package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.util.Comparator;
import java.util.List;

/**
 * A node on which evicting pods makes room.
 *
 * @param slot the node's
 * @param victims the pods to evict, the most important first; at least one
 * @param violations how many of them their budgets do not allow to be evicted
 * @param highestPriority the most important victim's priority
 * @param brokenGroups how many groups lose their minimum with the victims
 * @param prioritySum of all victims, each raised above zero, so that more victims weigh more
 * @param earliestStart of the victims of the highest priority, see {@link Importance#startOf}
 * @param reachesOthers whether there are victims on other nodes too: members of groups that go as a
 *     whole
 */
record Candidate(
    int slot,
    List<PodEntry> victims,
    int violations,
    int highestPriority,
    int brokenGroups,
    long prioritySum,
    long earliestStart,
    boolean reachesOthers) {
  /** The node to prefer first; of equal ones the one that comes first stays first. */
  static final Comparator<Candidate> BEST_FIRST =
      (one, other) -> one.isBetterThan(other) ? -1 : other.isBetterThan(one) ? 1 : 0;

  private static final long ABOVE_ZERO = 1L << 31;

  static Candidate of(int slot, List<PodEntry> victims, int violations, int brokenGroups) {
    int highest = victims.getFirst().priority();
    long sum = 0;
    long earliest = Importance.startOf(victims.getFirst());
    boolean reachesOthers = false;
    for (PodEntry victim : victims) {
      // In the dry run the victims are off their own node.
      reachesOthers |= victim.slot() != slot && victim.slot() != PodEntry.NOWHERE;
      sum += victim.priority() + ABOVE_ZERO;
      long start = Importance.startOf(victim);
      if (victim.priority() > highest) {
        highest = victim.priority();
        earliest = start;
      } else if (victim.priority() == highest) {
        earliest = Math.min(earliest, start);
      }
    }
    return new Candidate(
        slot,
        List.copyOf(victims),
        violations,
        highest,
        brokenGroups,
        sum,
        earliest,
        reachesOthers);
  }

  /** The victims to evict: those that are not terminating already. */
  List<PodEntry> toEvict() {
    return toEvict(victims);
  }

  /** Those of some victims that are not terminating already. */
  static List<PodEntry> toEvict(List<PodEntry> victims) {
    return victims.stream().filter(victim -> !victim.model().terminating()).toList();
  }

  /**
   * Returns whether to evict here rather than there: fewer violations, a lower highest priority,
   * fewer groups that lose their minimum, a lower sum of priorities, fewer victims, a later start;
   * of equal ones neither.
   */
  boolean isBetterThan(Candidate other) {
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
    if (victims.size() != other.victims.size()) {
      return victims.size() < other.victims.size();
    }
    return earliestStart > other.earliestStart;
  }

  /**
   * Returns whether a set of victims may be better, of which only a part is known.
   *
   * @param known these are among its victims
   * @param knownViolations how many of them their budgets do not allow to be evicted
   * @param knownBroken how many groups lose their minimum with them
   * @param more at least so many are to come
   * @param lowestPriority none of those to come has a lower priority
   */
  boolean mayBeWorseThan(
      List<PodEntry> known, int knownViolations, int knownBroken, int more, long lowestPriority) {
    if (knownViolations != violations) {
      return knownViolations < violations;
    }
    long highest = more > 0 ? lowestPriority : Long.MIN_VALUE;
    long sum = more > 0 ? more * (lowestPriority + ABOVE_ZERO) : 0;
    for (PodEntry victim : known) {
      highest = Math.max(highest, victim.priority());
      sum += victim.priority() + ABOVE_ZERO;
    }
    if (highest != highestPriority) {
      return highest < highestPriority;
    }
    if (knownBroken != brokenGroups) {
      return knownBroken < brokenGroups;
    }
    if (sum != prioritySum) {
      return sum < prioritySum;
    }
    return known.size() + more < victims.size();
  }
}
