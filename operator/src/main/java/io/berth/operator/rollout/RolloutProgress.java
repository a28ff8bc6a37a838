package io.berth.operator.rollout;

import io.berth.crds.rollout.AbortWhen;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutCounts;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.rollout.RolloutStep;
import io.berth.crds.schema.DurationText;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecRevision;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The next state of a rollout. The state is part of the object's status, so that it survives
 * restarts and changes of the leader.
 *
 * @param rollout the steps in the latest spec
 * @param before the state of the last rollout; null if there was none
 * @param latest the latest spec
 * @param stable the last complete spec; empty if there is none
 */
public record RolloutProgress(
    GradualRollout rollout,
    @Nullable RolloutStatus before,
    SpecRevision latest,
    Optional<SpecRevision> stable) {

  /** The number of pods of the changed spec from which the limits of abortWhen apply. */
  public static final int ENOUGH_PODS = 20;

  private static final double PERCENT = 100;

  /** The results of both revisions since the rollout began. */
  public record Results(RolloutCounts canary, RolloutCounts stable) {
    /** No results yet. */
    public static final Results NONE = new Results(RolloutCounts.NONE, RolloutCounts.NONE);
  }

  /** Returns whether the last state is of the latest spec, and that spec is not complete. */
  public boolean isUnderWay() {
    return isOfLatest() && Rollouts.isOpen(before);
  }

  private boolean isOfLatest() {
    return before != null && before.specHash().equals(latest.hash());
  }

  /** Returns the first of the revisions with the latest hash that this rollout concerns. */
  public String firstRevision() {
    return before == null || before.beganRevision() == null
        ? latest.revision()
        : before.beganRevision();
  }

  /** Returns whether a state begins a rollout that the last state does not know. */
  public boolean begins(RolloutStatus next) {
    return Rollouts.isOpen(next) && !isUnderWay();
  }

  /** Returns the next state. */
  public RolloutStatus next(Results results, Instant now) {
    boolean isKnown = isOfLatest();
    if (Rollouts.isComplete(rollout, before, latest.hash(), stable.map(SpecRevision::hash))) {
      return complete(previous(isKnown));
    }
    if (!isKnown || (before.phase() == RolloutPhase.ABORTED && rollout.abortWhen() == null)) {
      return begin(now);
    }
    return before.phase() == RolloutPhase.ABORTED ? aborted(lastResults()) : go(results, now);
  }

  /**
   * Returns the hash of the spec to which a change is not gradual: the complete one before the one
   * that is complete now. Going back leaves none, so that the spec that was withdrawn is rolled out
   * gradually if it is applied again.
   */
  private @Nullable String previous(boolean isKnown) {
    if (before == null) {
      return null;
    }
    if (Rollouts.isOpen(before)) {
      // Completed by other means, such as the removal of steps, or withdrawn.
      return isKnown ? before.stableSpecHash() : before.previousSpecHash();
    }
    if (isKnown) {
      return before.previousSpecHash();
    }
    return Rollouts.isBack(before, latest.hash()) ? null : before.specHash();
  }

  private RolloutStatus go(Results results, Instant now) {
    RolloutStatus last = started();
    if (excess(results).isPresent()) {
      return aborted(results);
    }
    int step = Math.clamp(last.step(), 1, rollout.steps().size());
    Instant since = since(last, now);
    if (rollout.paused()) {
      return at(step, since, results);
    }
    if (last.phase() == RolloutPhase.PAUSED) {
      return at(step, now.truncatedTo(ChronoUnit.SECONDS), results);
    }
    if (now.isBefore(since.plus(hold(rollout.steps().get(step - 1))))) {
      return at(step, since, results);
    }
    return step == rollout.steps().size()
        ? complete(stable.map(SpecRevision::hash).orElse(null))
        : at(step + 1, now.truncatedTo(ChronoUnit.SECONDS), results);
  }

  private RolloutStatus started() {
    if (before == null) {
      throw new IllegalStateException("the rollout has not begun");
    }
    return before;
  }

  private static Instant since(RolloutStatus status, Instant now) {
    return status.stepSince() == null ? now : Instant.parse(status.stepSince());
  }

  private static Duration hold(RolloutStep step) {
    return DurationText.read(step.hold()).orElse(Duration.ZERO);
  }

  /** Returns the results that the last state contains. */
  public Results lastResults() {
    return before == null
        ? Results.NONE
        : new Results(
            before.canary() == null ? RolloutCounts.NONE : before.canary(),
            before.stable() == null ? RolloutCounts.NONE : before.stable());
  }

  /** Returns the same rollout after this state. */
  public RolloutProgress after(RolloutStatus state) {
    return new RolloutProgress(rollout, state, latest, stable);
  }

  /** Returns which limit the changed spec exceeds, as text for a status; empty if it does not. */
  public Optional<String> excess(Results results) {
    AbortWhen limits = rollout.abortWhen();
    if (limits == null || results.canary().pods() < ENOUGH_PODS) {
      return Optional.empty();
    }
    return excess(
            "unschedulable", limits.unschedulableAbove(), results, RolloutCounts::unschedulable)
        .or(() -> excess("denied", limits.deniedAbove(), results, RolloutCounts::denied));
  }

  private Optional<String> excess(
      String what, @Nullable Integer limit, Results results, ToLongFunction<RolloutCounts> count) {
    if (limit == null) {
      return Optional.empty();
    }
    double canary = share(results.canary(), count);
    double other = share(results.stable(), count);
    return canary - other > limit
        ? Optional.of(
            "%.1f %% of its pods are %s, and %.1f %% of the pods of revision %s; the limit is %d points more"
                .formatted(
                    canary, what, other, stable.map(SpecRevision::revision).orElse(""), limit))
        : Optional.empty();
  }

  private static double share(RolloutCounts counts, ToLongFunction<RolloutCounts> count) {
    return counts.pods() == 0 ? 0 : PERCENT * count.applyAsLong(counts) / counts.pods();
  }

  private RolloutStatus complete(@Nullable String previousHash) {
    return new RolloutStatus(
        RolloutPhase.COMPLETE,
        latest.revision(),
        latest.hash(),
        0,
        "%d%%".formatted(Rollouts.ALL),
        Rollouts.ALL,
        null,
        null,
        null,
        null,
        null,
        previousHash,
        null,
        null);
  }

  private RolloutStatus begin(Instant now) {
    Instant second = now.truncatedTo(ChronoUnit.SECONDS);
    return at(1, second, second.toString(), latest.revision(), Results.NONE);
  }

  private RolloutStatus at(int step, Instant since, Results results) {
    return at(step, since, started().began(), started().beganRevision(), results);
  }

  private RolloutStatus at(
      int step,
      Instant since,
      @Nullable String began,
      @Nullable String beganRevision,
      Results results) {
    List<RolloutStep> steps = rollout.steps();
    int percent = steps.get(step - 1).percent();
    return open(
        rollout.paused() ? RolloutPhase.PAUSED : RolloutPhase.PROGRESSING,
        step,
        "%d/%d (%d%%)".formatted(step, steps.size(), percent),
        percent,
        began,
        beganRevision,
        since.toString(),
        results);
  }

  private RolloutStatus aborted(Results results) {
    RolloutStatus last = started();
    return open(
        RolloutPhase.ABORTED,
        last.step(),
        "%d/%d (0%%)".formatted(last.step(), rollout.steps().size()),
        0,
        last.began(),
        last.beganRevision(),
        last.stepSince(),
        results);
  }

  private RolloutStatus open(
      RolloutPhase phase,
      int step,
      String progress,
      int percent,
      @Nullable String began,
      @Nullable String beganRevision,
      @Nullable String since,
      Results results) {
    SpecRevision other = stable.orElseThrow();
    return new RolloutStatus(
        phase,
        latest.revision(),
        latest.hash(),
        step,
        progress,
        percent,
        began,
        beganRevision,
        since,
        other.revision(),
        other.hash(),
        before == null ? null : before.previousSpecHash(),
        results.canary(),
        results.stable());
  }
}
