package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.util.Comparator;
import java.util.List;

/**
 * A node on which the pod fits after evictions.
 *
 * @param slot the slot of the node
 * @param victims the pods to evict, in descending order of importance; at least one
 * @param rank the criteria for comparison
 * @param reachesOthers whether there are victims on other nodes too: members of groups that are
 *     disrupted as a whole
 */
record Candidate(int slot, List<PodEntry> victims, Rank rank, boolean reachesOthers) {
  /** The order of preference; equal candidates keep their order. */
  static final Comparator<Candidate> BEST_FIRST =
      (one, other) -> one.isBetterThan(other) ? -1 : other.isBetterThan(one) ? 1 : 0;

  static Candidate of(int slot, List<PodEntry> victims, int violations, int brokenGroups) {
    boolean reachesOthers = false;
    for (PodEntry victim : victims) {
      // In the dry run, the victims are removed from their own node.
      reachesOthers |= victim.slot() != slot && victim.slot() != PodEntry.NOWHERE;
    }
    return new Candidate(
        slot, List.copyOf(victims), Rank.of(victims, violations, brokenGroups), reachesOthers);
  }

  /** Returns the number of victims whose eviction violates a budget. */
  int violations() {
    return rank.violations();
  }

  /** Returns the victims to evict: those that are not terminating already. */
  List<PodEntry> toEvict() {
    return toEvict(victims);
  }

  /** Returns the given victims that are not terminating already. */
  static List<PodEntry> toEvict(List<PodEntry> victims) {
    return victims.stream().filter(victim -> !victim.model().terminating()).toList();
  }

  /** Returns whether this candidate is better than the other; false if they are equal. */
  boolean isBetterThan(Candidate other) {
    return rank.isBetterThan(other.rank);
  }

  /**
   * Returns whether a partly known set of victims may be better.
   *
   * @param known the known victims
   * @param knownViolations the number of known victims whose eviction violates a budget
   * @param knownBroken the number of groups that lose their minimum with them
   * @param more the minimum number of further victims
   * @param lowestPriority a lower bound of the priorities of further victims
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
