package io.berth.demo.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The check of a history against all rules. It is a pure function of the history.
 *
 * @param schedulers the schedulerNames to check
 * @param pendingLimit maximum time for which a pod that fits may stay pending after all faults are
 *     over; empty if the pods have rules that the check does not know
 * @param staleness allowed age of a leader's view of the cluster
 * @param byPriority whether only pods of lower priority are evicted, as in a cluster without queues
 */
public record HistoryCheck(
    Set<String> schedulers,
    Optional<Duration> pendingLimit,
    Duration staleness,
    boolean byPriority) {
  /** The promised limit of one minute. */
  public static final Duration PENDING_LIMIT = Duration.ofMinutes(1);

  /** More than the renew deadline of 5 s, so that a slow machine causes no violations. */
  private static final Duration STALENESS = Duration.ofSeconds(12);

  public HistoryCheck {
    schedulers = Set.copyOf(schedulers);
  }

  /** Creates a check with the default staleness. */
  public static HistoryCheck of(Set<String> schedulers, Duration pendingLimit) {
    return new HistoryCheck(schedulers, Optional.of(pendingLimit), STALENESS, true);
  }

  /**
   * Creates a check of what was bound and evicted, for pods with rules other than requests, node
   * selectors, and taints.
   */
  public static HistoryCheck ofBindings(Set<String> schedulers, Duration staleness) {
    return new HistoryCheck(schedulers, Optional.empty(), staleness, true);
  }

  /**
   * Returns the same check for a history in which there were queues of tenants that it does not
   * contain.
   */
  public HistoryCheck withQueues() {
    return new HistoryCheck(schedulers, pendingLimit, staleness, false);
  }

  /** Returns all violations in chronological order. */
  public List<Violation> violations(History history) {
    List<Rule> rules = new ArrayList<>();
    rules.add(new BoundOnce());
    rules.add(new NotOvercommitted(schedulers, staleness));
    rules.add(new EvictionMadeRoom(schedulers, staleness, byPriority));
    rules.add(new WithinLimits(schedulers));
    rules.add(new DevicesUsedOnce());
    pendingLimit.ifPresent(
        limit -> {
          rules.add(new PlacedWhereItFits(schedulers, limit));
          rules.add(new GuaranteesMet(schedulers, limit));
        });
    return rules.stream()
        .flatMap(rule -> rule.violations(history).stream())
        .sorted(Comparator.comparing(Violation::at))
        .toList();
  }
}
