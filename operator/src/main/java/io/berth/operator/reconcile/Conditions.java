package io.berth.operator.reconcile;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Conditions as the API conventions have them: the transition time moves only when the status does.
 */
final class Conditions {

  /** In use as written. */
  static final String READY = "Ready";

  /**
   * Since when this generation is served and ready: what decides whether a pod should have been
   * rendered by it.
   */
  static final String SERVED = "Served";

  /** True while every node has a usage report; only of policies that score by it. */
  static final String LOAD_MEASURED = "LoadMeasured";

  /** The API server takes no longer messages. */
  private static final int LONGEST_MESSAGE = 4096;

  private Conditions() {}

  /** The content of one condition. */
  record Finding(boolean isTrue, String reason, String message) {}

  static Optional<Condition> find(List<Condition> conditions, String type) {
    return conditions.stream().filter(condition -> type.equals(condition.getType())).findFirst();
  }

  /**
   * The condition with this finding, with the transition time of the one before where the status is
   * the same.
   */
  static Condition ready(List<Condition> before, Finding finding, long generation, Instant now) {
    return of(READY, before, finding, generation, now);
  }

  /** The condition of this type with this finding, likewise. */
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
   * Its time is since when this generation has been ready, or has not; it moves with the
   * generation.
   *
   * @param what becomes of pods created from then on, such as {@code rendered}
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
   * Since when the present generation has been served and ready; empty where it is not, or no
   * leader has said so yet.
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
