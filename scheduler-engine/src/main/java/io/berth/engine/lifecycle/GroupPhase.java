package io.berth.engine.lifecycle;

import io.berth.engine.time.Due;
import java.time.Instant;

/** The progress of placing a group: its phases, of which it is in one at a time. */
sealed interface GroupPhase {
  /** The minimum is placed: each pending member is a unit of the queue. */
  record Met() implements GroupPhase {}

  /**
   * The minimum is not placed, or not any more: the pending members together are one unit.
   *
   * @param held why members hold nodes while others are pending
   * @param waiting what the pending members wait for
   */
  record Below(Held held, Waiting waiting) implements GroupPhase {
    static final Below NEW = new Below(new Held.Nothing(), new Waiting.Nothing());
  }

  /** The reason why members hold nodes although the minimum is not placed. */
  sealed interface Held {
    /** No such reason is known: none hold nodes, or the others have not been tried. */
    record Nothing() implements Held {}

    /**
     * The other members do not fit.
     *
     * @param since the time of the first attempt that found this
     */
    record OthersDoNotFit(Instant since) implements Held {}

    /** A Binding has failed since the minimum was placed. */
    record BindingFailed() implements Held {}
  }

  /** The subject that the pending members of a group wait for. */
  sealed interface Waiting {
    /** No member is pending. */
    record Nothing() implements Waiting {}

    /**
     * Too few members exist.
     *
     * @param reportDue the time at which the pods get this reason; never if they have it
     */
    record ForMembers(Due reportDue) implements Waiting {}

    /** The members are enough, and did not lack room so far. */
    record ForAttempt() implements Waiting {}

    /**
     * The members do not fit.
     *
     * @param since the time of the first attempt that found this
     * @param turnDue the time from which resources may be reserved for the group
     */
    record ForRoom(Instant since, Due turnDue) implements Waiting {}
  }
}
