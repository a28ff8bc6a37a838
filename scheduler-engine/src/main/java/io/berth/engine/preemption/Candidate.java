package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.util.Comparator;
import java.util.List;

/**
 * A node on which evicting pods makes room.
 *
 * @param slot the node's
 * @param victims the pods to evict, the most important first; at least one
 * @param rank what it is compared by
 * @param reachesOthers whether there are victims on other nodes too: members of groups that go as a
 *     whole
 */
record Candidate(int slot, List<PodEntry> victims, Rank rank, boolean reachesOthers) {
  /** The node to prefer first; of equal ones the one that comes first stays first. */
  static final Comparator<Candidate> BEST_FIRST =
      (one, other) -> one.isBetterThan(other) ? -1 : other.isBetterThan(one) ? 1 : 0;

  static Candidate of(int slot, List<PodEntry> victims, int violations, int brokenGroups) {
    boolean reachesOthers = false;
    for (PodEntry victim : victims) {
      // In the dry run the victims are off their own node.
      reachesOthers |= victim.slot() != slot && victim.slot() != PodEntry.NOWHERE;
    }
    return new Candidate(
        slot, List.copyOf(victims), Rank.of(victims, violations, brokenGroups), reachesOthers);
  }

  /** The number of victims that their budgets do not allow to be evicted. */
  int violations() {
    return rank.violations();
  }

  /** The victims to evict: those that are not terminating already. */
  List<PodEntry> toEvict() {
    return toEvict(victims);
  }

  /** Those of some victims that are not terminating already. */
  static List<PodEntry> toEvict(List<PodEntry> victims) {
    return victims.stream().filter(victim -> !victim.model().terminating()).toList();
  }

  /** Returns whether to evict here rather than there; of equal candidates neither. */
  boolean isBetterThan(Candidate other) {
    return rank.isBetterThan(other.rank);
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
    if (knownViolations != rank.violations()) {
      return knownViolations < rank.violations();
    }
    long highest = more > 0 ? lowestPriority : Long.MIN_VALUE;
    long sum = more > 0 ? more * (lowestPriority + Rank.ABOVE_ZERO) : 0;
    for (PodEntry victim : known) {
      highest = Math.max(highest, victim.priority());
      sum += victim.priority() + Rank.ABOVE_ZERO;
    }
    if (highest != rank.highestPriority()) {
      return highest < rank.highestPriority();
    }
    if (knownBroken != rank.brokenGroups()) {
      return knownBroken < rank.brokenGroups();
    }
    if (sum != rank.prioritySum()) {
      return sum < rank.prioritySum();
    }
    return known.size() + more < victims.size();
  }
}
