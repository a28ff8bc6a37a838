package io.berth.engine.lifecycle;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.decision.CycleRecord;
import io.berth.engine.state.PodEntry;
import java.util.Map;
import java.util.Optional;

/**
 * The reason why a group waits.
 *
 * @param cause what its pods wait for
 * @param message the reason, for the pods' owner
 * @param wouldEvict the evictions that would make room, if the policy only reports them, by the pod
 *     that they are reported for
 * @param rejected the attempt to place a member that fits on no node; empty if there was none
 */
public record WaitingReason(
    WaitCause cause,
    String message,
    Map<PodEntry, Decision.WouldEvict> wouldEvict,
    Optional<CycleRecord> rejected) {

  /** A reason other than rejections of nodes. */
  public static WaitingReason of(WaitCause cause, String message) {
    return new WaitingReason(cause, message, Map.of(), Optional.empty());
  }

  /** Returns the same reason with another cause. */
  public WaitingReason because(WaitCause other) {
    return new WaitingReason(other, message, wouldEvict, rejected);
  }

  /** Returns the same reason with more words. */
  public WaitingReason saying(String more) {
    return new WaitingReason(cause, message + ". " + more, wouldEvict, rejected);
  }

  /** Returns the same reason with evictions that are only reported. */
  public WaitingReason reporting(Map<PodEntry, Decision.WouldEvict> reports) {
    return new WaitingReason(cause, message, reports, rejected);
  }
}
