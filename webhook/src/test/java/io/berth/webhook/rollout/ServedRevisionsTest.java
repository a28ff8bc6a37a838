package io.berth.webhook.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.rollout.RolloutStep;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServedRevisionsTest {
  private static final SpecRevision A = new SpecRevision("1", "aaaa");
  private static final SpecRevision B = new SpecRevision("2", "bbbb");
  private static final SpecRevision C = new SpecRevision("3", "cccc");
  private static final GradualRollout STEPS =
      new GradualRollout(List.of(new RolloutStep(5, "10m")), null, false);

  private static RolloutStatus open(RolloutPhase phase, SpecRevision of, SpecRevision stable) {
    return new RolloutStatus(
        phase,
        of.revision(),
        of.hash(),
        1,
        "1/1",
        phase == RolloutPhase.ABORTED ? 0 : 5,
        null,
        of.revision(),
        null,
        stable.revision(),
        stable.hash(),
        null,
        null,
        null);
  }

  private static RolloutStatus complete(SpecRevision of, @Nullable SpecRevision previous) {
    return new RolloutStatus(
        RolloutPhase.COMPLETE,
        of.revision(),
        of.hash(),
        0,
        "100%",
        100,
        null,
        null,
        null,
        null,
        null,
        previous == null ? null : previous.hash(),
        null,
        null);
  }

  private static ServedRevisions<SpecRevision> choose(
      @Nullable RolloutStatus status, SpecRevision latest, SpecRevision... known) {
    return ServedRevisions.choose(STEPS, status, latest, List.of(known), Function.identity());
  }

  private static ServedRevisions<SpecRevision> beside(SpecRevision stable, int percent) {
    return new ServedRevisions<>(Optional.of(stable), percent, false, false);
  }

  private static final ServedRevisions<SpecRevision> ALL =
      new ServedRevisions<>(Optional.empty(), 100, true, false);

  @Test
  void theFirstSpecIsComplete() {
    assertThat(choose(null, A)).isEqualTo(ALL);
    assertThat(choose(complete(A, null), A)).isEqualTo(ALL);
  }

  @Test
  void aChangeAppliesToNoneUntilItsRolloutHasBegun() {
    assertThat(choose(null, B, A)).isEqualTo(beside(A, 0));
    assertThat(choose(complete(A, null), B, A)).isEqualTo(beside(A, 0));
    assertThat(choose(open(RolloutPhase.PROGRESSING, B, A), B, A)).isEqualTo(beside(A, 5));
    assertThat(choose(open(RolloutPhase.PROGRESSING, B, A), C, A)).isEqualTo(beside(A, 0));
    assertThat(choose(open(RolloutPhase.ABORTED, B, A), B, A)).isEqualTo(beside(A, 0));
  }

  @Test
  void goingBackIsNotGradual() {
    assertThat(choose(complete(B, A), new SpecRevision("3", A.hash()), B)).isEqualTo(ALL);
  }

  @Test
  void aRevisionThatWasCompleteBeforeTheLastOneIsNotTakenForIt() {
    ServedRevisions<SpecRevision> stale = choose(complete(B, A), C, A);
    assertThat(stale.isUnknown()).isTrue();
    assertThat(stale.stable()).as("serves until the last one is read").contains(A);
    assertThat(stale.percent()).isZero();
    assertThat(stale.isComplete()).isFalse();

    ServedRevisions<SpecRevision> begun = choose(open(RolloutPhase.PROGRESSING, C, B), C, A);
    assertThat(begun.isUnknown()).isTrue();
    assertThat(begun.stable()).contains(A);
    assertThat(begun.percent()).isEqualTo(5);

    assertThat(choose(open(RolloutPhase.PROGRESSING, C, B), C, A, B)).isEqualTo(beside(B, 5));
    assertThat(choose(complete(B, A), C, A, B)).isEqualTo(beside(B, 0));
  }

  @Test
  void aRevisionThatWasCompleteAfterTheRecordedOneIsTrusted() {
    assertThat(choose(complete(A, null), C, B))
        .as("the steps were removed for a while, and the leader has not seen that")
        .isEqualTo(beside(B, 0));
  }

  @Test
  void theSameGenerationIsTheSameSpec_alsoIfItsHashIsComputedDifferently() {
    SpecRevision again = new SpecRevision("1", "a-new-hash");
    assertThat(choose(complete(A, null), B, again)).isEqualTo(beside(again, 0));
    assertThat(choose(complete(A, null), again, again)).isEqualTo(ALL);
    assertThat(choose(open(RolloutPhase.PROGRESSING, B, A), C, again)).isEqualTo(beside(again, 0));
  }

  @Test
  void theLastCompleteSpecAppliedAgainIsComplete_alsoIfItIsNotStored() {
    assertThat(choose(open(RolloutPhase.ABORTED, B, A), new SpecRevision("3", A.hash())))
        .isEqualTo(ALL);
  }

  @Test
  void theLatestSpecServesIfNoOtherIsKnown_unlessItWasWithdrawn() {
    ServedRevisions<SpecRevision> latest = choose(open(RolloutPhase.PROGRESSING, B, A), B);
    assertThat(latest).isEqualTo(new ServedRevisions<>(Optional.empty(), 100, false, true));
    ServedRevisions<SpecRevision> none = choose(open(RolloutPhase.ABORTED, B, A), B);
    assertThat(none.isNone()).isTrue();
    assertThat(none.isUnknown()).isTrue();
    assertThat(choose(open(RolloutPhase.ABORTED, B, A), B, C).stable()).contains(C);
    assertThat(
            choose(open(RolloutPhase.ABORTED, B, A), B, new SpecRevision("1", B.hash())).isNone())
        .as("what was withdrawn does not serve as an older revision")
        .isTrue();
  }
}
