package io.berth.engine.lifecycle;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.state.PodEntry;
import io.berth.engine.time.Due;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The progress of placing a group, in addition to the state of its members. */
final class GroupStart {
  /** True if the minimum is placed, so that pending members are scheduled one by one. */
  boolean ordinary;

  /** UIDs of the members that were placed together and whose Bindings are not confirmed. */
  final Set<String> unconfirmed = new HashSet<>();

  /** UIDs of the members that were placed together last, until all Bindings are confirmed. */
  final Set<String> together = new HashSet<>();

  /** UIDs of the members that were asked to release their nodes. */
  final Set<String> givenBack = new HashSet<>();

  /** UIDs of the members whose Bindings failed permanently. */
  final Set<String> failed = new HashSet<>();

  /** True if a Binding has failed since the minimum was placed. */
  boolean interrupted;

  /** The time since when members hold nodes while others do not fit; null if none do. */
  @Nullable Instant incompleteSince;

  /** The time since when the complete group does not fit; null if it is not waiting. */
  @Nullable Instant waitsSince;

  /** The time from which resources may be reserved for the group; never if it is not waiting. */
  Due turnDue = Due.NEVER;

  /** The time at which the pods get the reason why the group is not tried. */
  Due reportDue = Due.NEVER;

  /** True if the last attempt failed and was undone. */
  boolean attemptFailed;

  /** The cause that was reported with the last message. */
  WaitCause cause = WaitCause.NO_ROOM;

  /** The last message, and the pods that have it. */
  String message = "";

  /** The evictions that were reported with the last message, by pod UID. */
  Map<String, Decision.WouldEvict> wouldEvict = Map.of();

  final Set<String> informed = new HashSet<>();

  /** The group's version at which all of its pending pods had the message. */
  long informedVersion = -1;

  /** Ends waiting for resources. */
  void endWaiting() {
    waitsSince = null;
    turnDue = Due.NEVER;
  }

  boolean isGivenBack(PodEntry pod) {
    return givenBack.contains(pod.key());
  }

  /** Keeps the member on its node; returns whether it had been asked to release it. */
  boolean keeps(PodEntry pod) {
    return givenBack.remove(pod.key());
  }

  boolean hasFailed(PodEntry pod) {
    return failed.contains(pod.key());
  }
}
