package io.berth.operator.rollout;

import io.berth.crds.rollout.GradualRollout;
import io.berth.crds.rollout.RolloutPhase;
import io.berth.crds.rollout.RolloutStatus;
import io.berth.crds.rollout.RolloutStep;
import io.berth.webhook.rollout.SpecRevision;
import java.util.List;
import java.util.Optional;

/** A rollout that is under way, for tests of its results. */
public final class OpenRollout {
  private OpenRollout() {}

  /**
   * Returns a rollout of the revisions 5 and 6, which have the same spec.
   *
   * @param began the time at which it began
   * @param stable the last complete revision
   */
  public static RolloutProgress over(String stable, String began) {
    RolloutStatus status =
        new RolloutStatus(
            RolloutPhase.PROGRESSING,
            "6",
            "bbbb",
            1,
            "1/1",
            50,
            began,
            "5",
            began,
            stable,
            "aaaa",
            null,
            null,
            null);
    return new RolloutProgress(
        new GradualRollout(List.of(new RolloutStep(50, "1h")), null, false),
        status,
        new SpecRevision("6", "bbbb"),
        Optional.of(new SpecRevision(stable, "aaaa")));
  }
}
