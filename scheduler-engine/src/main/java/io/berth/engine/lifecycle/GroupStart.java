package io.berth.engine.lifecycle;

import java.time.Instant;
import java.util.HashSet;
import java.util.Set;

/** How far a group has come in being placed, beside what its members say themselves. */
final class GroupStart {
  /** Whether the minimum is placed, so that the members that wait are ordinary pods. */
  boolean ordinary;

  /** UIDs of the members that were placed together and whose Bindings are not confirmed. */
  final Set<String> unconfirmed = new HashSet<>();

  /** UIDs of the members that were asked to give their nodes back. */
  final Set<String> givenBack = new HashSet<>();

  /** UIDs of the members whose Bindings failed for good. */
  final Set<String> failed = new HashSet<>();

  /** Whether a Binding has failed since the minimum was placed. */
  boolean interrupted;

  /**
   * Since when members hold nodes while the others find none; {@link Instant#MAX} if they do not.
   */
  Instant incompleteSince = Instant.MAX;

  /** When the pods get the reason that the group is not tried; {@link Instant#MAX} for never. */
  Instant reportDue = Instant.MAX;

  /** The last message, and the pods that have it. */
  String message = "";

  final Set<String> informed = new HashSet<>();
}
