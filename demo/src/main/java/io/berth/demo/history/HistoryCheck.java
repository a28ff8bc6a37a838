package io.berth.demo.history;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The check of a history against all rules. It is a pure function of the history.
 *
 * @param schedulers the schedulerNames to check
 * @param pendingLimit maximum time for which a pod that fits may stay pending after all faults are
 *     over
 * @param staleness allowed age of a leader's view of the cluster
 */
public record HistoryCheck(Set<String> schedulers, Duration pendingLimit, Duration staleness) {
  /** The promised limit of one minute. */
  public static final Duration PENDING_LIMIT = Duration.ofMinutes(1);

  /** More than the renew deadline of 5 s, so that a slow machine causes no violations. */
  private static final Duration STALENESS = Duration.ofSeconds(12);

  public HistoryCheck {
    schedulers = Set.copyOf(schedulers);
  }

  /** Creates a check with the default staleness. */
  public static HistoryCheck of(Set<String> schedulers, Duration pendingLimit) {
    return new HistoryCheck(schedulers, pendingLimit, STALENESS);
  }

  /** Returns all violations in chronological order. */
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
