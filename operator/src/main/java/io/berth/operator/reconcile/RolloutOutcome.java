package io.berth.operator.reconcile;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.schema.DurationText;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.webhook.rollout.Rollouts;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a rollout, for the status and as text for conditions.
 *
 * @param progress the rollout after this state; empty if it cannot go on, because the latest spec
 *     is invalid or not compiled yet, or the last complete one is not known
 */
record RolloutOutcome(RolloutStatus status, Optional<RolloutProgress> progress) {
  static final String ROLLING_OUT = "RollingOut";
  static final String ABORTED = "RolloutAborted";

  /** Returns the outcome of a rollout that cannot go on; empty if there was none. */
  static Optional<RolloutOutcome> held(@Nullable RolloutStatus last) {
    return Optional.ofNullable(last).map(status -> new RolloutOutcome(status, Optional.empty()));
  }

  /** Returns the outcome of a rollout that has this next state. */
  static RolloutOutcome of(RolloutProgress progress, RolloutStatus next) {
    return new RolloutOutcome(next, Optional.of(progress.after(next)));
  }

  /** Returns the content of the condition RolledOut; empty if the rollout cannot go on. */
  Optional<Finding> rolledOut() {
    return progress.map(
        now -> new Finding(!Rollouts.isOpen(status), status.phase().text(), message(now)));
  }

  /**
   * Returns the content of the condition Ready of an object whose change is rolled out; empty if
   * the latest spec applies to all workloads.
   */
  Optional<Finding> notReady() {
    String reason = status.phase() == RolloutPhase.ABORTED ? ABORTED : ROLLING_OUT;
    return progress
        .filter(now -> Rollouts.isOpen(status))
        .map(now -> new Finding(false, reason, message(now)));
  }

  private String message(RolloutProgress now) {
    return switch (status.phase()) {
      case COMPLETE -> "revision %s applies to all workloads".formatted(status.revision());
      case PROGRESSING -> share(status) + "; the step ends at " + end(status, now.rollout());
      case PAUSED -> share(status) + "; set spec.rollout.paused to false to go on";
      case ABORTED ->
          "revision %s was withdrawn%s; revision %s applies to all workloads: change the spec, or go back with \"kubectl berth rollout undo\""
              .formatted(
                  status.revision(),
                  now.excess(now.lastResults()).map(": "::concat).orElse(""),
                  status.stableRevision());
    };
  }

  private static String share(RolloutStatus status) {
    return "revision %s applies to %d %% of the workloads, and revision %s to the others"
        .formatted(status.revision(), status.percent(), status.stableRevision());
  }

  private static String end(RolloutStatus status, GradualRollout rollout) {
    Duration hold =
        status.step() < 1 || status.step() > rollout.steps().size()
            ? Duration.ZERO
            : DurationText.read(rollout.steps().get(status.step() - 1).hold())
                .orElse(Duration.ZERO);
    return status.stepSince() == null
        ? "an unknown time"
        : Instant.parse(status.stepSince()).plus(hold).toString();
  }
}
