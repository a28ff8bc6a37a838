package io.berth.engine.lifecycle;

import io.berth.engine.api.Decision;
import io.berth.engine.api.WaitCause;
import io.berth.engine.state.GroupEntry;
import io.berth.engine.state.PodEntry;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The last message to the pending pods of a group, and which of them have it. */
final class LastMessage {
  private String text = "";
  private WaitCause cause = WaitCause.NO_ROOM;

  /** The evictions that were reported, by pod UID. */
  private Map<String, Decision.WouldEvict> wouldEvict = Map.of();

  /** The UIDs of the pods that have it. */
  private final Set<String> informed = new HashSet<>();

  /** The group's version at which all of its pending pods had it. */
  private long informedVersion = -1;

  private boolean undone;

  String text() {
    return text;
  }

  /** Returns whether the last attempt failed and was undone. */
  boolean isOfUndoneAttempt() {
    return undone;
  }

  /** Returns whether a pod has the message. */
  boolean isKnownTo(PodEntry pod) {
    return informed.contains(pod.key());
  }

  /** Returns whether all pending pods of the group have the message. */
  boolean isKnownToAll(GroupEntry group) {
    return informedVersion == group.version() && !informed.isEmpty();
  }

  /**
   * Sets the message that each pending pod is to get.
   *
   * @return whether it differs from the last one, which the pods may have
   */
  boolean set(String newText, WaitCause newCause, Map<String, Decision.WouldEvict> reports) {
    undone = false;
    if (newText.equals(text) && newCause == cause && reports.equals(wouldEvict)) {
      return false;
    }
    text = newText;
    cause = newCause;
    wouldEvict = reports;
    informed.clear();
    return true;
  }

  /** Records that all pending pods of the group get the message now. */
  void isSent(GroupEntry group) {
    informedVersion = group.version();
  }

  /** Records that a pod gets the message; returns whether it did not have it. */
  boolean inform(PodEntry pod) {
    return informed.add(pod.key());
  }

  /**
   * Sets a message that the pods get in another way.
   *
   * @param ofUndoneAttempt whether the attempt failed and was undone
   */
  void setElsewhere(String newText, boolean ofUndoneAttempt) {
    text = newText;
    informed.clear();
    undone = ofUndoneAttempt;
  }

  /** Handles that the pods need the message once more. */
  void repeat() {
    informed.clear();
  }

  /** Forgets a pod that is gone. */
  void forget(PodEntry pod) {
    informed.remove(pod.key());
  }

  /** Handles that the members are placed: nothing is to be said any more. */
  void end() {
    text = "";
    informed.clear();
    undone = false;
  }
}
