package io.berth.engine.preemption;

import io.berth.engine.state.Importance;
import io.berth.engine.state.PodColumns;
import io.berth.engine.state.PodEntry;
import java.util.Arrays;
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

  /**
   * Returns a candidate without budgets, groups, and victims on other nodes.
   *
   * @param found the indexes of the victims
   * @param count the number of these, at least one
   */
  static Candidate onOneNode(int slot, PodColumns pods, int[] found, int count) {
    PodEntry[] victims = new PodEntry[count];
    int highest = Integer.MIN_VALUE;
    long sum = 0;
    long earliest = PodEntry.NOT_STARTED;
    boolean inOrder = true;
    for (int i = 0; i < count; i++) {
      int priority = pods.priority(found[i]);
      long start = pods.startNanos(found[i]);
      victims[i] = pods.pod(found[i]);
      sum += priority + Rank.ABOVE_ZERO;
      if (priority > highest) {
        highest = priority;
        earliest = start;
      } else if (priority == highest) {
        earliest = Math.min(earliest, start);
      }
      inOrder &= i == 0 || isInOrder(pods, found[i - 1], found[i]);
    }
    if (!inOrder) { // which visits the pods
      Arrays.sort(victims, Importance.MORE_IMPORTANT_FIRST);
    }
    Rank rank = new Rank(0, highest, 0, sum, count, earliest);
    return new Candidate(slot, List.of(victims), rank, false);
  }

  private static boolean isInOrder(PodColumns pods, int one, int next) {
    return pods.priority(one) > pods.priority(next)
        || (pods.priority(one) == pods.priority(next)
            && pods.startNanos(one) <= pods.startNanos(next));
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
