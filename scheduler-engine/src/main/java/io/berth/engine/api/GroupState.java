package io.berth.engine.api;

import io.berth.engine.model.GroupModel;
import io.berth.engine.model.GroupRef;
import java.util.Optional;

/**
 * The progress of a group.
 *
 * @param model its description; empty if there is none
 * @param existing the number of its pods that can be placed, are placed, or have succeeded
 * @param placed the number of its pods that are assumed or bound, and not terminating
 * @param succeeded the number of its pods that have succeeded; they count as placed
 * @param missing the number of further pods that have to be placed together
 * @param message the reason why it waits, as reported on its pods; empty if it does not wait
 * @param pods its existing pods
 * @param heldBack the reason why its pods must not be created yet; empty if they may, or exist
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
    Pods pods,
    Optional<String> heldBack) {

  /** Creates the state of a group whose pods may be created. */
  public GroupState(
      GroupRef group,
      Optional<GroupModel> model,
      int existing,
      int placed,
      int succeeded,
      int missing,
      Phase phase,
      String message,
      Pods pods) {
    this(
        group, model, existing, placed, succeeded, missing, phase, message, pods, Optional.empty());
  }

  /** Returns the same state of a group whose pods must not be created yet. */
  public GroupState heldBack(String reason) {
    return new GroupState(
        group,
        model,
        existing,
        placed,
        succeeded,
        missing,
        phase,
        message,
        pods,
        Optional.of(reason));
  }

  /**
   * The pods of a group, in addition to the counts.
   *
   * @param waiting the number of pods without a node, including those with scheduling gates
   * @param ofThisScheduler whether this scheduler places at least one of them
   * @param confirmed whether all Bindings of the pods that were placed together were accepted
   * @param informed whether the waiting pods were given a reason since the group was last placed
   * @param attemptFailed whether the last attempt to place them failed because of a bug, and was
   *     undone
   */
  public record Pods(
      int waiting,
      boolean ofThisScheduler,
      boolean confirmed,
      boolean informed,
      boolean attemptFailed) {}

  /** The phases of a group. */
  public enum Phase {
    /** The description or some of the pods do not exist. */
    INCOMPLETE,

    /** Enough pods exist, and they wait to be placed together. */
    WAITING,

    /** The minimum is placed; further pods are scheduled one by one. */
    PLACED
  }
}
