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

/** Describes the state of a rollout, as text for conditions. */
final class RolloutReport {
  static final String ROLLING_OUT = "RollingOut";
  static final String ABORTED = "RolloutAborted";

  private RolloutReport() {}

  /** Returns the content of the condition RolledOut. */
  static Finding finding(RolloutStatus status, RolloutProgress progress) {
    return new Finding(
        !isOpen(status),
        status.phase().text(),
        switch (status.phase()) {
          case COMPLETE -> "revision %s applies to all workloads".formatted(status.revision());
          case PROGRESSING ->
              share(status) + "; the step ends at " + end(status, progress.rollout());
          case PAUSED -> share(status) + "; set spec.rollout.paused to false to go on";
          case ABORTED ->
              "revision %s was withdrawn%s; revision %s applies to all workloads: change the spec, or go back with \"kubectl berth rollout undo\""
                  .formatted(
                      status.revision(),
                      progress.excess(progress.lastResults()).map(": "::concat).orElse(""),
                      status.stableRevision());
        });
  }

  /** Returns the content of the condition Ready of an object whose change is rolled out. */
  static Finding notReady(RolloutStatus status, RolloutProgress progress) {
    boolean isAborted = status.phase() == RolloutPhase.ABORTED;
    return new Finding(
        false, isAborted ? ABORTED : ROLLING_OUT, finding(status, progress).message());
  }

  private static boolean isOpen(RolloutStatus status) {
    return Rollouts.isOpen(status);
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
