package io.berth.webhook.rollout;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The revisions of an object that serve: the latest one, or the last complete one and for a part of
 * the workloads the latest one.
 *
 * @param <R> a revision as the caller knows it
 * @param stable the revision for the workloads to which the latest one does not apply; empty if
 *     there is none. If {@code isUnknown}, it is an older one than the last complete one
 * @param percent the percentage of the workloads to which the latest revision applies. If it is 0
 *     and there is no other revision, no revision serves
 * @param isComplete whether the latest revision is complete
 * @param isUnknown whether the last complete revision is not among the known ones, so that the
 *     stored ones have to be read
 */
public record ServedRevisions<R>(
    Optional<R> stable, int percent, boolean isComplete, boolean isUnknown) {

  /** Returns whether no revision serves: the latest one was withdrawn, and no other is known. */
  public boolean isNone() {
    return percent == 0 && stable.isEmpty();
  }

  /**
   * Chooses the revisions that serve.
   *
   * @param rollout the steps in the latest spec; null if a change takes effect at once
   * @param status the state of the last rollout; null if there was none
   * @param known the revisions that were complete, the most trusted first
   * @param of returns a revision's generation and hash
   */
  public static <R> ServedRevisions<R> choose(
      @Nullable GradualRollout rollout,
      @Nullable RolloutStatus status,
      SpecRevision latest,
      List<R> known,
      Function<R, SpecRevision> of) {
    Optional<R> stable =
        known.stream()
            .filter(
                each -> !Rollouts.isUnknown(rollout, status, latest, Optional.of(of.apply(each))))
            .findFirst();
    Optional<SpecRevision> revision = stable.map(of);
    if (Rollouts.isUnknown(rollout, status, latest, revision)) {
      return unknown(status, latest, known, of);
    }
    Optional<String> hash = revision.map(SpecRevision::hash);
    if (Rollouts.isComplete(rollout, status, latest.hash(), hash)) {
      return new ServedRevisions<>(Optional.empty(), Rollouts.ALL, true, false);
    }
    int percent = Rollouts.percent(rollout, status, latest.hash(), hash);
    return new ServedRevisions<>(stable, percent, false, false);
  }

  /**
   * Chooses while the last complete revision is not known: the latest one for all workloads only if
   * there is no older one, and never if it was withdrawn.
   */
  private static <R> ServedRevisions<R> unknown(
      @Nullable RolloutStatus status,
      SpecRevision latest,
      List<R> known,
      Function<R, SpecRevision> of) {
    boolean isOfLatest = status != null && status.specHash().equals(latest.hash());
    boolean isWithdrawn = isOfLatest && status.phase() == RolloutPhase.ABORTED;
    Optional<R> older =
        known.stream()
            .filter(each -> !isWithdrawn || !of.apply(each).hash().equals(latest.hash()))
            .findFirst();
    int percent;
    if (isWithdrawn) {
      percent = 0;
    } else if (older.isEmpty()) {
      percent = Rollouts.ALL; // to serve nothing would be worse
    } else {
      percent = isOfLatest ? status.percent() : 0;
    }
    return new ServedRevisions<>(older, percent, false, true);
  }
}
