package io.berth.demo.history;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * Judges a history by all rules; a pure function of the history.
 *
 * @param schedulers the schedulerNames that are judged
 * @param pendingLimit how long a pod that fits may stay pending once all faults are over
 * @param staleness how old a leader's view of the cluster may be
 */
public record HistoryCheck(Set<String> schedulers, Duration pendingLimit, Duration staleness) {
  /** The promised limit: a minute. */
  public static final Duration PENDING_LIMIT = Duration.ofMinutes(1);

  /** More than the renew deadline of five seconds, so that a slow machine violates no rule. */
  private static final Duration STALENESS = Duration.ofSeconds(12);

  public HistoryCheck {
    schedulers = Set.copyOf(schedulers);
  }

  /** Judges schedulers, with a leader's renew deadline for the staleness. */
  public static HistoryCheck of(Set<String> schedulers, Duration pendingLimit) {
    return new HistoryCheck(schedulers, pendingLimit, STALENESS);
  }

  /** Returns every violation, in the order of time. */
  public List<Violation> violations(History history) {
    return List.of(
            new BoundOnce(),
            new NotOvercommitted(schedulers),
            new PlacedWhereItFits(schedulers, pendingLimit),
            new EvictionMadeRoom(schedulers, staleness))
        .stream()
        .flatMap(rule -> rule.violations(history).stream())
        .sorted(Comparator.comparing(Violation::at))
        .toList();
  }
}
