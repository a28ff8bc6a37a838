package io.berth.engine;

import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import java.util.Optional;

/**
 * The progress of a group.
 *
 * @param model what describes it; empty while nothing does
 * @param existing the number of its pods that can be placed, are placed, or have succeeded
 * @param placed the number of its pods that are assumed or bound and do not leave
 * @param succeeded the number of its pods that have finished well; they count as placed
 * @param missing how many more pods have to be placed together
 * @param message what keeps it back, as its pods say it; empty while nothing does
 * @param pods the pods of it that are there
 */
public record GroupState(
    GroupRef group,
    Optional<GroupModel> model,
    int existing,
    int placed,
    int succeeded,
    int missing,
    Phase phase,
    String message,
    Pods pods) {

  /**
   * The pods of a group, beside their numbers by standing.
   *
   * @param waiting the number of pods that are on no node, those with closed scheduling gates too
   * @param ofThisScheduler whether one of them is this scheduler's to place
   * @param confirmed whether all Bindings of those that were placed together are made
   * @param informed whether those that wait were given a reason since the group was last placed
   * @param attemptFailed whether the last attempt to place them failed by a bug, and was undone
   */
  public record Pods(
      int waiting,
      boolean ofThisScheduler,
      boolean confirmed,
      boolean informed,
      boolean attemptFailed) {}

  /** The stages of a group. */
  public enum Phase {
    /** Its description or some of its pods do not exist. */
    INCOMPLETE,

    /** Enough of its pods exist, and they wait to be placed together. */
    WAITING,

    /** Its minimum is placed; other pods are ordinary ones. */
    PLACED
  }
}
