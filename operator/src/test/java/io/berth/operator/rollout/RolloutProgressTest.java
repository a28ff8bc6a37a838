package io.berth.operator.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.rollout.AbortWhen;
import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutCounts;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.rollout.RolloutStep;
import io.berth.operator.rollout.RolloutProgress.Results;
import io.berth.webhook.rollout.Rollouts;
import io.berth.webhook.rollout.SpecRevision;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RolloutProgressTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
  private static final SpecRevision A = new SpecRevision("1", "aaaa");
  private static final SpecRevision B = new SpecRevision("2", "bbbb");
  private static final SpecRevision C = new SpecRevision("3", "cccc");
  private static final List<RolloutStep> STEPS =
      List.of(new RolloutStep(5, "10m"), new RolloutStep(50, "30m"));
  private static final GradualRollout LIMITED =
      new GradualRollout(STEPS, new AbortWhen(10, 0), false);

  private static RolloutStatus next(
      GradualRollout rollout,
      @Nullable RolloutStatus before,
      SpecRevision latest,
      SpecRevision stable,
      Results results,
      Duration after) {
    return new RolloutProgress(rollout, before, latest, Optional.of(stable))
        .next(results, START.plus(after));
  }

  private static RolloutStatus begun() {
    return next(LIMITED, null, B, A, Results.NONE, Duration.ZERO);
  }

  private static RolloutStatus completed() {
    RolloutStatus second = next(LIMITED, begun(), B, A, Results.NONE, Duration.ofMinutes(10));
    return next(LIMITED, second, B, A, Results.NONE, Duration.ofMinutes(40));
  }

  private static Results results(long pods, long unschedulable, long others, long pending) {
    return new Results(
        new RolloutCounts(pods, unschedulable, 0L), new RolloutCounts(others, pending, 0L));
  }

  private static int percent(RolloutStatus status, SpecRevision latest, SpecRevision stable) {
    return Rollouts.percent(LIMITED, status, latest.hash(), Optional.of(stable.hash()));
  }

  @Test
  void anObjectWithoutEarlierSpecIsComplete() {
    RolloutStatus status =
        new RolloutProgress(LIMITED, null, A, Optional.empty()).next(Results.NONE, START);
    assertThat(status.phase()).isEqualTo(RolloutPhase.COMPLETE);
    assertThat(status.progress()).isEqualTo("100%");
  }

  @Test
  void aChangeAppliesToNoWorkloadBeforeItsRolloutBegins() {
    RolloutStatus ofA = next(LIMITED, null, A, A, Results.NONE, Duration.ZERO);
    assertThat(percent(ofA, B, A)).isZero();
    assertThat(Rollouts.percent(LIMITED, null, B.hash(), Optional.of(A.hash()))).isZero();
  }

  @Test
  void stepsFollowOneAnotherAfterTheirHold() {
    RolloutStatus first = begun();
    assertThat(first.progress()).isEqualTo("1/2 (5%)");
    assertThat(first.stepSince()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(first.stableRevision()).isEqualTo("1");
    assertThat(percent(first, B, A)).isEqualTo(5);

    RolloutStatus held =
        next(LIMITED, first, B, A, Results.NONE, Duration.ofMinutes(10).minusMillis(1));
    assertThat(held).isEqualTo(first);
    RolloutStatus second = next(LIMITED, first, B, A, Results.NONE, Duration.ofMinutes(10));
    assertThat(second.progress()).isEqualTo("2/2 (50%)");
    assertThat(second.stepSince()).isEqualTo("2026-01-01T00:10:00Z");
    assertThat(second.began()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(next(LIMITED, second, B, A, Results.NONE, Duration.ofMinutes(39)).step())
        .isEqualTo(2);
    RolloutStatus complete = completed();
    assertThat(complete.phase()).isEqualTo(RolloutPhase.COMPLETE);
    assertThat(complete.previousSpecHash()).isEqualTo("aaaa");
    assertThat(percent(complete, B, A)).isEqualTo(100);
  }

  @Test
  void limitsApplyFromTwentyPodsOn() {
    RolloutStatus few =
        next(LIMITED, begun(), B, A, results(19, 19, 100, 0), Duration.ofMinutes(1));
    assertThat(few.phase()).isEqualTo(RolloutPhase.PROGRESSING);

    RolloutStatus aborted =
        next(LIMITED, begun(), B, A, results(20, 3, 100, 0), Duration.ofMinutes(1));
    assertThat(aborted.phase()).isEqualTo(RolloutPhase.ABORTED);
    assertThat(aborted.progress()).isEqualTo("1/2 (0%)");
    assertThat(percent(aborted, B, A)).isZero();
  }

  @Test
  void limitsAreAboveTheOtherRevision() {
    RolloutStatus equal =
        next(LIMITED, begun(), B, A, results(20, 3, 100, 5), Duration.ofMinutes(1));
    assertThat(equal.phase()).isEqualTo(RolloutPhase.PROGRESSING); // 15 % against 5 %
    RolloutStatus more =
        next(LIMITED, begun(), B, A, results(20, 3, 100, 4), Duration.ofMinutes(1));
    assertThat(more.phase()).isEqualTo(RolloutPhase.ABORTED);
  }

  @Test
  void deniedPodsAbortToo() {
    Results denied = new Results(new RolloutCounts(20L, 0L, 1L), new RolloutCounts(100L, 0L, 0L));
    RolloutStatus aborted = next(LIMITED, begun(), B, A, denied, Duration.ofMinutes(1));
    assertThat(aborted.phase()).isEqualTo(RolloutPhase.ABORTED);
    assertThat(new RolloutProgress(LIMITED, aborted, B, Optional.of(A)).excess(denied))
        .contains(
            "5.0 % of its pods are denied, and 0.0 % of the pods of revision 1; the limit is 0"
                + " points more");
  }

  @Test
  void anAbortedChangeStaysWithdrawnUntilTheSpecChanges() {
    RolloutStatus aborted =
        next(LIMITED, begun(), B, A, results(20, 20, 0, 0), Duration.ofMinutes(1));
    RolloutStatus later = next(LIMITED, aborted, B, A, Results.NONE, Duration.ofDays(1));
    assertThat(later).isEqualTo(aborted);
    RolloutStatus other = next(LIMITED, aborted, C, A, Results.NONE, Duration.ofDays(1));
    assertThat(other.progress()).isEqualTo("1/2 (5%)");
    assertThat(other.canary()).isEqualTo(RolloutCounts.NONE);
    GradualRollout unlimited = new GradualRollout(STEPS, null, false);
    assertThat(next(unlimited, aborted, B, A, Results.NONE, Duration.ofDays(1)).progress())
        .isEqualTo("1/2 (5%)");
  }

  @Test
  void aPausedRolloutStaysAtItsStepAndHoldsAgainWhenItGoesOn() {
    GradualRollout paused = new GradualRollout(STEPS, LIMITED.abortWhen(), true);
    RolloutStatus waiting = next(paused, begun(), B, A, Results.NONE, Duration.ofHours(5));
    assertThat(waiting.phase()).isEqualTo(RolloutPhase.PAUSED);
    assertThat(waiting.progress()).isEqualTo("1/2 (5%)");
    assertThat(percent(waiting, B, A)).isEqualTo(5);
    RolloutStatus on = next(LIMITED, waiting, B, A, Results.NONE, Duration.ofHours(6));
    assertThat(on.progress()).isEqualTo("1/2 (5%)");
    assertThat(on.stepSince()).isEqualTo("2026-01-01T06:00:00Z");
    assertThat(next(paused, waiting, B, A, results(20, 20, 0, 0), Duration.ofHours(6)).phase())
        .isEqualTo(RolloutPhase.ABORTED);
  }

  @Test
  void goingBackIsNotGradual() {
    RolloutStatus undone = next(LIMITED, begun(), A, A, Results.NONE, Duration.ofMinutes(1));
    assertThat(undone.phase()).isEqualTo(RolloutPhase.COMPLETE);
    assertThat(undone.previousSpecHash()).isNull();

    RolloutStatus ofB = completed();
    assertThat(percent(ofB, A, B)).isEqualTo(100);
    RolloutStatus back = next(LIMITED, ofB, A, B, Results.NONE, Duration.ofHours(1));
    assertThat(back.phase()).isEqualTo(RolloutPhase.COMPLETE);
    assertThat(back.previousSpecHash()).isNull();
    assertThat(percent(back, B, A)).isZero(); // what was withdrawn is rolled out again
    assertThat(next(LIMITED, back, B, A, Results.NONE, Duration.ofHours(2)).progress())
        .isEqualTo("1/2 (5%)");
  }

  @Test
  void aFurtherChangeBeginsAgainFromTheLastCompleteSpec() {
    RolloutStatus second = next(LIMITED, begun(), B, A, Results.NONE, Duration.ofMinutes(10));
    assertThat(percent(second, C, A)).isZero();
    RolloutStatus other = next(LIMITED, second, C, A, Results.NONE, Duration.ofMinutes(11));
    assertThat(other.progress()).isEqualTo("1/2 (5%)");
    assertThat(other.stableRevision()).isEqualTo("1");
    assertThat(other.revision()).isEqualTo("3");
  }

  @Test
  void anEditOfTheStepsDoesNotBeginTheRolloutAgain() {
    SpecRevision edited = new SpecRevision("4", B.hash());
    GradualRollout steps = new GradualRollout(List.of(new RolloutStep(20, "10m")), null, false);
    RolloutStatus now = next(steps, begun(), edited, A, Results.NONE, Duration.ofMinutes(2));
    assertThat(now.progress()).isEqualTo("1/1 (20%)");
    assertThat(now.revision()).isEqualTo("4");
    assertThat(now.stepSince()).isEqualTo("2026-01-01T00:00:00Z");
  }

  @Test
  void aStepOfAllWorkloadsCanStillBeWithdrawn() {
    GradualRollout whole =
        new GradualRollout(List.of(new RolloutStep(100, "10m")), new AbortWhen(10, null), false);
    RolloutStatus all = next(whole, null, B, A, Results.NONE, Duration.ZERO);
    assertThat(all.phase()).isEqualTo(RolloutPhase.PROGRESSING);
    assertThat(Rollouts.isComplete(whole, all, B.hash(), Optional.of(A.hash()))).isFalse();
    assertThat(next(whole, all, B, A, results(20, 20, 0, 0), Duration.ofMinutes(1)).phase())
        .isEqualTo(RolloutPhase.ABORTED);
    assertThat(next(whole, all, B, A, Results.NONE, Duration.ofMinutes(10)).phase())
        .isEqualTo(RolloutPhase.COMPLETE);
  }
}
