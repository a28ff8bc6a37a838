package io.berth.operator.reconcile;

import io.berth.crds.policy.ShadowStatus;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.api.ShadowState;
import io.berth.operator.reconcile.Conditions.Finding;
import java.time.temporal.ChronoUnit;

/** The state of a policy's shadow, as part of the policy's status. */
final class ShadowComparison {
  private ShadowComparison() {}

  /** Returns the numbers of pods. */
  static ShadowStatus status(ShadowState state) {
    boolean isServed = !state.shadowRevision().isEmpty();
    return new ShadowStatus(
        state.shadow(),
        isServed ? state.shadowRevision() : null,
        isServed ? state.since().truncatedTo(ChronoUnit.SECONDS).toString() : null,
        state.compared() - state.pods(Result.FAILED),
        state.pods(Result.SAME),
        state.pods(Result.ELSEWHERE),
        state.pods(Result.EVICTING),
        state.pods(Result.FITS_NOWHERE),
        state.pods(Result.FITS_INSTEAD),
        state.pods(Result.FAILED),
        state.skipped(),
        state.workPercent());
  }

  /** Returns whether pods are compared, and otherwise the reason. */
  static Finding finding(ShadowState state) {
    if (state.shadowRevision().isEmpty()) {
      return new Finding(
          false,
          "PolicyMissing",
          "SchedulingPolicy \"%s\" does not exist or is invalid, so no pods are compared: create it, or correct what its status reports"
              .formatted(state.shadow()));
    }
    return new Finding(
        true,
        "Compared",
        "a part of the pods is also tried with SchedulingPolicy \"%s\", without effect"
            .formatted(state.shadow()));
  }
}
