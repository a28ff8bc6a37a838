package io.berth.engine.api;

import io.berth.engine.model.PodRef;
import io.berth.engine.time.Due;
import java.util.List;
import java.util.Set;

/**
 * A pod or group that waits to be placed, or whose attempt or Binding is in progress.
 *
 * @param name the namespace and name of the pod or group, such as {@code team-a/web-1}
 * @param pods the pods that are tried together: one, or the pending members of a group
 * @param due the time from which it may be tried without an event; never if only an event decides
 * @param attempts the number of attempts so far
 * @param rejectedBy the plugins that rejected the last attempt; empty if it failed for another
 *     reason, or there was none
 */
public record WaitingUnit(
    String name,
    List<PodRef> pods,
    Place place,
    Due due,
    int priority,
    int attempts,
    Set<String> rejectedBy) {

  /** The part of the scheduling queue that a unit is in. */
  public enum Place {
    /** Tried in order of priority and then of arrival. */
    ACTIVE,
    /** Waiting for the end of its backoff. */
    BACKOFF,
    /** Waiting for an event that may help, or for the timeout. */
    UNSCHEDULABLE,
    /** Waiting for its scheduling gates, or for the missing members of a group. */
    GATED,
    /** In an attempt that has not ended, or placed and not yet seen bound. */
    IN_FLIGHT
  }

  public WaitingUnit {
    pods = List.copyOf(pods);
    rejectedBy = Set.copyOf(rejectedBy);
  }
}
