package io.berth.operator.reconcile;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.schema.DurationText;
import io.berth.operator.reconcile.Conditions.Finding;
import io.berth.operator.rollout.RolloutProgress;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecRevision;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The state of a rollout, for the status and as text for conditions.
 *
 * @param status the state; null if none has begun
 * @param progress the rollout after this state; empty if it cannot go on
 * @param obstacle why it cannot begin or go on; empty if it can, or because the latest spec is
 *     invalid or not compiled yet
 */
record RolloutOutcome(
    @Nullable RolloutStatus status,
    Optional<RolloutProgress> progress,
    Optional<Finding> obstacle) {
  static final String ROLLING_OUT = "RollingOut";
  static final String ABORTED = "RolloutAborted";
  static final String UNKNOWN = "CompleteRevisionUnknown";
  static final String NOT_STORED = "CompleteRevisionNotStored";

  /** Returns the outcome of a rollout whose latest spec is invalid or not compiled yet. */
  static RolloutOutcome held(@Nullable RolloutStatus last) {
    return new RolloutOutcome(last, Optional.empty(), Optional.empty());
  }

  /** Returns the outcome of a rollout that has this next state. */
  static RolloutOutcome of(RolloutProgress progress, RolloutStatus next) {
    return new RolloutOutcome(next, Optional.of(progress.after(next)), Optional.empty());
  }

  /** Returns the outcome of a rollout whose last complete revision is not known. */
  static RolloutOutcome unknown(@Nullable RolloutStatus last) {
    String revision =
        last == null ? "" : last.stableRevision() == null ? last.revision() : last.stableRevision();
    return new RolloutOutcome(
        last,
        Optional.empty(),
        Optional.of(
            new Finding(
                false,
                UNKNOWN,
                "the last complete revision, %s, is not stored as a ControllerRevision in Berth's namespace, or is not valid any more; Berth reads it again every 30 s. To go on, apply a spec without rollout.steps"
                    .formatted(revision))));
  }

  /** Returns the outcome of a change that waits until the last complete revision is stored. */
  static RolloutOutcome notStored(RolloutProgress progress) {
    return new RolloutOutcome(
        progress.before(),
        Optional.empty(),
        Optional.of(
            new Finding(
                false,
                NOT_STORED,
                "revision %s applies to no workload yet, because revision %s could not be stored as a ControllerRevision in Berth's namespace; see Berth's log. Berth tries again every %d s"
                    .formatted(
                        progress.latest().revision(),
                        progress.stable().map(SpecRevision::revision).orElse(""),
                        KeptOnce.AGAIN.toSeconds()))));
  }

  /** Returns the content of the condition RolledOut; empty if the rollout cannot go on. */
  Optional<Finding> rolledOut() {
    return obstacle.or(
        () ->
            going()
                .map(
                    state ->
                        new Finding(
                            !Rollouts.isOpen(state), state.phase().text(), message(state))));
  }

  /**
   * Returns the content of the condition Ready of an object whose change is rolled out; empty if
   * the latest spec applies to all workloads.
   */
  Optional<Finding> notReady() {
    return obstacle.or(
        () ->
            going()
                .filter(Rollouts::isOpen)
                .map(state -> new Finding(false, notReadyReason(state), message(state))));
  }

  private static String notReadyReason(RolloutStatus state) {
    return state.phase() == RolloutPhase.ABORTED ? ABORTED : ROLLING_OUT;
  }

  /** Returns the state of a rollout that can go on. */
  private Optional<RolloutStatus> going() {
    return progress.map(RolloutProgress::before);
  }

  /** Returns whether the revision that serves is the one that the state names. */
  boolean isOfStable(Optional<String> serving) {
    return obstacle.isPresent()
        || serving.equals(Optional.ofNullable(status).map(RolloutStatus::stableRevision));
  }

  private String message(RolloutStatus status) {
    RolloutProgress now = progress.orElseThrow();
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
