package io.berth.operator.reconcile;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Conditions that follow the API conventions: the transition time changes only with the status. */
final class Conditions {

  /** The condition that is True while the object is in use as written. */
  static final String READY = "Ready";

  /**
   * The condition that is True while the current generation is served and ready. Its transition
   * time decides whether a pod should have been rendered by this generation.
   */
  static final String SERVED = "Served";

  /**
   * The condition that is True while every node has a usage report; only on policies that score by
   * measured usage.
   */
  static final String LOAD_MEASURED = "LoadMeasured";

  /**
   * The condition that is True while pods are compared with another policy; only on policies that
   * request it.
   */
  static final String SHADOWED = "Shadowed";

  /**
   * The condition that is True if the latest spec applies to all workloads; only on objects whose
   * changes are rolled out in steps.
   */
  static final String ROLLED_OUT = "RolledOut";

  /**
   * The condition that is True unless pods that lack a binding cannot be recreated; only on
   * bindings that request it.
   */
  static final String REPAIRED = "Repaired";

  /** The maximum length of a message; the definitions allow 32,768 characters. */
  private static final int LONGEST_MESSAGE = 4096;

  private Conditions() {}

  /** The content of a condition. */
  record Finding(boolean isTrue, String reason, String message) {}

  static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(condition -> type.equals(condition.getType())).findFirst();
  }

  /**
   * Returns the Ready condition for a finding; it keeps the previous transition time if the status
   * is the same.
   */
  static Condition ready(List<Condition> before, Finding finding, long generation, Instant now) {
    return of(READY, before, finding, generation, now);
  }

  /**
   * Returns the condition of this type for a finding; it keeps the previous transition time if the
   * status is the same.
   */
  static Condition of(
      String type, List<Condition> before, Finding finding, long generation, Instant now) {
    String status = finding.isTrue() ? "True" : "False";
    String since =
        find(before, type)
            .filter(condition -> status.equals(condition.getStatus()))
            .map(Condition::getLastTransitionTime)
            .orElseGet(() -> time(now));
    String message = finding.message();
    return new ConditionBuilder()
        .withType(type)
        .withStatus(status)
        .withReason(finding.reason())
        .withMessage(message.substring(0, Math.min(message.length(), LONGEST_MESSAGE)))
        .withObservedGeneration(generation)
        .withLastTransitionTime(since)
        .build();
  }

  /**
   * Returns the Served condition. Its transition time is the time since which this generation has
   * been ready, or not ready, so it changes with the generation.
   *
   * @param what what this generation does to new pods, such as {@code rendered}
   */
  static Condition served(
      List<Condition> before, boolean ready, String what, long generation, Instant now) {
    String status = ready ? "True" : "False";
    String since =
        find(before, SERVED)
            .filter(condition -> Objects.equals(condition.getObservedGeneration(), generation))
            .filter(condition -> status.equals(condition.getStatus()))
            .map(Condition::getLastTransitionTime)
            .orElseGet(() -> time(now));
    return new ConditionBuilder()
        .withType(SERVED)
        .withStatus(status)
        .withReason(ready ? "Generation" + generation : "NotReady")
        .withMessage(
            ready
                ? "pods created from now on are %s by this generation".formatted(what)
                : "pods are not %s by this generation until it is ready".formatted(what))
        .withObservedGeneration(generation)
        .withLastTransitionTime(since)
        .build();
  }

  /**
   * Returns the time since which the current generation has been served and ready; empty if it is
   * not, or if no leader has recorded it yet.
   */
  static Optional<Instant> servedSince(List<Condition> conditions, long generation) {
    return find(conditions, SERVED)
        .filter(condition -> Objects.equals(condition.getObservedGeneration(), generation))
        .filter(condition -> "True".equals(condition.getStatus()))
        .map(condition -> Instant.parse(condition.getLastTransitionTime()));
  }

  static List<Condition> of(Condition... conditions) {
    return new ArrayList<>(List.of(conditions));
  }

  private static String time(Instant now) {
    return now.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
