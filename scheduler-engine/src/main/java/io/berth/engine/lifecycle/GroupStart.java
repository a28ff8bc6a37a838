package io.berth.engine.lifecycle;

import io.berth.engine.state.PodEntry;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** The progress of placing a group, beside what its members say themselves. */
final class GroupStart {
  /** Returns whether the minimum is placed, so that the members that wait are ordinary pods. */
  boolean ordinary;

  /** UIDs of the members that were placed together and whose Bindings are not confirmed. */
  final Set<String> unconfirmed = new HashSet<>();

  /** UIDs of the members that were placed together last, until all Bindings are confirmed. */
  final Set<String> together = new HashSet<>();

  /** UIDs of the members that were asked to give their nodes back. */
  final Set<String> givenBack = new HashSet<>();

  /** UIDs of the members whose Bindings failed for good. */
  final Set<String> failed = new HashSet<>();

  /** Returns whether a Binding has failed since the minimum was placed. */
  boolean interrupted;

  /**
   * Since when members hold nodes while the others find none; {@link Instant#MAX} if they do not.
   */
  Instant incompleteSince = Instant.MAX;

  /** Since when the group finds no room, though it is complete; {@link Instant#MAX} if it does. */
  Instant waitsSince = Instant.MAX;

  /** From when on the group may be promised room; {@link Instant#MAX} while it does not wait. */
  Instant turnDue = Instant.MAX;

  /**
   * The time at which the pods get the reason that the group is not tried; {@link Instant#MAX} for
   * never.
   */
  Instant reportDue = Instant.MAX;

  /** Returns whether the last attempt failed, and was undone. */
  boolean attemptFailed;

  /** The last message, and the pods that have it. */
  String message = "";

  final Set<String> informed = new HashSet<>();

  /** The group's version when all of its pods that wait had the message. */
  long informedVersion = -1;

  /** The group waits for no room any more. */
  void endWaiting() {
    waitsSince = Instant.MAX;
    turnDue = Instant.MAX;
  }

  boolean isGivenBack(PodEntry pod) {
    return givenBack.contains(pod.key());
  }

  /** The member does not give its node back; answers whether it was to. */
  boolean keeps(PodEntry pod) {
    return givenBack.remove(pod.key());
  }

  boolean hasFailed(PodEntry pod) {
    return failed.contains(pod.key());
  }
}
