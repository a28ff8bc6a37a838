package io.berth.engine.preemption;

import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * A node on which evicting pods makes room.
 *
 * @param slot the node's
 * @param victims the pods to evict, the most important first; at least one
 * @param violations how many of them their budgets do not allow to be evicted
 * @param highestPriority the most important victim's priority
 * @param prioritySum of all victims, each raised above zero, so that more victims weigh more
 * @param earliestStart of the victims of the highest priority
 */
record Candidate(
    int slot,
    List<PodEntry> victims,
    int violations,
    int highestPriority,
    long prioritySum,
    Instant earliestStart) {
  private static final long ABOVE_ZERO = 1L << 31;

  /** The better candidate first; equal ones by slot, so that the choice can be repeated. */
  static final Comparator<Candidate> BY_PREFERENCE =
      Comparator.comparingInt(Candidate::violations)
          .thenComparingInt(Candidate::highestPriority)
          .thenComparingLong(Candidate::prioritySum)
          .thenComparingInt(candidate -> candidate.victims.size())
          .thenComparing(Candidate::earliestStart, Comparator.reverseOrder())
          .thenComparingInt(Candidate::slot);

  static Candidate of(int slot, List<PodEntry> victims, int violations) {
    int highest = victims.getFirst().priority();
    long sum = 0;
    Instant earliest = Importance.startOf(victims.getFirst());
    for (PodEntry victim : victims) {
      sum += victim.priority() + ABOVE_ZERO;
      Instant start = Importance.startOf(victim);
      if (victim.priority() > highest) {
        highest = victim.priority();
        earliest = start;
      } else if (victim.priority() == highest && start.isBefore(earliest)) {
        earliest = start;
      }
    }
    return new Candidate(slot, List.copyOf(victims), violations, highest, sum, earliest);
  }
}
