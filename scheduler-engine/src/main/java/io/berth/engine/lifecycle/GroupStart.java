package io.berth.engine.lifecycle;

import io.berth.engine.lifecycle.GroupPhase.Below;
import io.berth.engine.lifecycle.GroupPhase.Held;
import io.berth.engine.lifecycle.GroupPhase.Met;
import io.berth.engine.lifecycle.GroupPhase.Waiting;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The progress of placing a group: its phase with all transitions, what its members go through, and
 * the last message.
 */
final class GroupStart {
  private final StartMembers members = new StartMembers();
  private final LastMessage message = new LastMessage();
  private GroupPhase phase = Below.NEW;

  /** Returns the members that are being placed, released, or have failed. */
  StartMembers members() {
    return members;
  }

  /** Returns the last message to the pending members. */
  LastMessage message() {
    return message;
  }

  // ---------------------------------------------------------------------------------- phases

  /** Returns whether the minimum is placed, so that pending members are scheduled one by one. */
  boolean isMet() {
    return phase instanceof Met;
  }

  /** Returns when the pods get the reason why the group is not tried. */
  Due reportDue() {
    return waiting() instanceof Waiting.ForMembers members ? members.reportDue() : Due.NEVER;
  }

  /** Returns the time from which resources may be reserved; never if the group needs none. */
  Due turnDue() {
    return waiting() instanceof Waiting.ForRoom room ? room.turnDue() : Due.NEVER;
  }

  /** Returns the time since when the complete group does not fit; empty if it is not waiting. */
  Optional<Instant> waitsForRoomSince() {
    return waiting() instanceof Waiting.ForRoom room ? Optional.of(room.since()) : Optional.empty();
  }

  /** Returns why members hold nodes while others are pending. */
  Held held() {
    return phase instanceof Below below ? below.held() : new Held.Nothing();
  }

  private Waiting waiting() {
    return phase instanceof Below below ? below.waiting() : new Waiting.Nothing();
  }

  // ---------------------------------------------------------------------------------- transitions

  /** Handles a minimum that is placed; returns whether it was not placed before. */
  boolean met() {
    boolean isNew = !isMet();
    phase = new Met();
    return isNew;
  }

  /** Handles a minimum that is not placed; returns whether it was placed before. */
  boolean belowMinimum() {
    boolean isNew = isMet();
    if (isNew) {
      phase = Below.NEW;
    }
    return isNew;
  }

  /** Handles that no member is pending, below the minimum. */
  void hasNoPending() {
    waits(before -> new Waiting.Nothing());
  }

  /**
   * Handles that members are missing, below the minimum.
   *
   * @param reportDue the time at which the pods get this reason, unless such a time is set
   */
  void lacksMembers(Due reportDue) {
    waits(
        before ->
            before instanceof Waiting.ForMembers members && !members.reportDue().equals(Due.NEVER)
                ? before
                : new Waiting.ForMembers(reportDue));
  }

  /** Handles that the pods have the reason why the group is not tried. */
  void reported() {
    waits(
        before ->
            before instanceof Waiting.ForMembers ? new Waiting.ForMembers(Due.NEVER) : before);
  }

  /** Handles that enough members exist, below the minimum. */
  void isComplete() {
    waits(before -> before instanceof Waiting.ForRoom ? before : new Waiting.ForAttempt());
  }

  /**
   * Handles that the complete group does not fit.
   *
   * @param turnDue the time from which resources may be reserved, if it did fit before
   */
  void lacksRoom(Instant now, Due turnDue) {
    waits(before -> before instanceof Waiting.ForRoom ? before : new Waiting.ForRoom(now, turnDue));
  }

  /** Handles the end of the group's turn, in which resources were reserved for it. */
  void turnIsOver(Due nextTurn) {
    waits(
        before ->
            before instanceof Waiting.ForRoom room
                ? new Waiting.ForRoom(room.since(), nextTurn)
                : before);
  }

  private void waits(UnaryOperator<Waiting> next) {
    if (phase instanceof Below(Held held, Waiting waiting)) {
      phase = new Below(held, next.apply(waiting));
    }
  }

  /** Handles that pending members do not fit while others hold nodes. */
  void othersDoNotFit(Instant now) {
    holds(before -> before instanceof Held.Nothing ? new Held.OthersDoNotFit(now) : before);
  }

  /** Handles that members are placed together, or have to release their nodes. */
  void holdsNoLonger() {
    holds(before -> new Held.Nothing());
  }

  /**
   * Handles a failed Binding because of which the minimum is not placed any more.
   *
   * @return whether it was placed before
   */
  boolean bindingFailed() {
    boolean wasMet = belowMinimum();
    holds(before -> new Held.BindingFailed());
    return wasMet;
  }

  private void holds(UnaryOperator<Held> next) {
    if (phase instanceof Below(Held held, Waiting waiting)) {
      phase = new Below(next.apply(held), waiting);
    }
  }
}
