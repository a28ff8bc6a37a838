package io.berth.operator.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.policy.ShadowStatus;
import io.berth.engine.api.ShadowDecision.Result;
import io.berth.engine.api.ShadowState;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The state of a shadow in the status of its policy. */
class ShadowComparisonTest {
  private static final Instant SINCE = Instant.parse("2026-01-01T00:00:00.5Z");

  @Test
  void aShadow_isReportedInNumbers() {
    ShadowState state =
        new ShadowState(
            "batch",
            "packed",
            "7",
            SINCE,
            Map.of(
                Result.SAME, 90L,
                Result.ELSEWHERE, 5L,
                Result.EVICTING, 2L,
                Result.FITS_NOWHERE, 1L,
                Result.FITS_INSTEAD, 4L,
                Result.FAILED, 3L),
            11,
            8);

    assertThat(ShadowComparison.status(state))
        .isEqualTo(
            new ShadowStatus(
                "packed", "7", "2026-01-01T00:00:00Z", 102L, 90L, 5L, 2L, 1L, 4L, 3L, 11L, 8));
    assertThat(ShadowComparison.finding(state).isTrue()).isTrue();
  }

  @Test
  void aShadowThatIsNotServed_isAFinding_withWhatToDo() {
    ShadowState state = new ShadowState("batch", "packed", "", SINCE, Map.of(), 0, 0);

    assertThat(ShadowComparison.status(state).revision()).isNull();
    assertThat(ShadowComparison.finding(state))
        .isEqualTo(
            new Conditions.Finding(
                false,
                "PolicyMissing",
                "SchedulingPolicy \"packed\" does not exist or is invalid, so no pods are compared:"
                    + " create it, or correct what its status reports"));
  }
}
