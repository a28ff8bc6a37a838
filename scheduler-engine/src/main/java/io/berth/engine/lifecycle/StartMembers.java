package io.berth.engine.lifecycle;

import io.berth.engine.state.PodEntry;
import java.util.HashSet;
import java.util.Set;

/**
 * The members of a group that are being placed together, are asked to release their nodes, or
 * cannot be bound, by UID.
 */
final class StartMembers {
  /** The members that were placed together last, until all Bindings are confirmed. */
  private final Set<String> together = new HashSet<>();

  /** Those of them whose Bindings are not confirmed. */
  private final Set<String> unconfirmed = new HashSet<>();

  private final Set<String> givenBack = new HashSet<>();
  private final Set<String> failed = new HashSet<>();

  /** Adds a member that was placed together with others, and is being bound. */
  void placedTogether(PodEntry pod) {
    together.add(pod.key());
    unconfirmed.add(pod.key());
  }

  /** Handles a confirmed Binding; returns whether it was awaited. */
  boolean confirmed(PodEntry pod) {
    return unconfirmed.remove(pod.key());
  }

  /** Returns whether no Binding is awaited. */
  boolean areConfirmed() {
    return unconfirmed.isEmpty();
  }

  /** Returns whether the member was placed together with others whose Bindings are awaited. */
  boolean isOneOf(PodEntry pod) {
    return together.contains(pod.key());
  }

  /**
   * Handles the end of the start: all are bound.
   *
   * @return whether any were placed together
   */
  boolean startIsOver() {
    boolean any = !together.isEmpty();
    together.clear();
    return any;
  }

  /** Records that a member is asked to release its node. */
  void giveBack(PodEntry pod) {
    givenBack.add(pod.key());
  }

  /** Returns whether a member was asked to release its node. */
  boolean isGivenBack(PodEntry pod) {
    return givenBack.contains(pod.key());
  }

  /** Lets a member keep its node; returns whether it had been asked to release it. */
  boolean keeps(PodEntry pod) {
    return givenBack.remove(pod.key());
  }

  /**
   * Handles a failed Binding.
   *
   * @param retry whether it may be tried again
   * @return whether the member had been asked to release its node
   */
  boolean bindingFailed(PodEntry pod, boolean retry) {
    unconfirmed.remove(pod.key());
    together.remove(pod.key());
    if (!retry) {
      failed.add(pod.key());
    }
    return givenBack.remove(pod.key());
  }

  /** Returns whether the Binding of a member has failed permanently. */
  boolean hasFailed(PodEntry pod) {
    return failed.contains(pod.key());
  }

  /** Forgets a member that is gone. */
  void forget(PodEntry pod) {
    unconfirmed.remove(pod.key());
    together.remove(pod.key());
    givenBack.remove(pod.key());
    failed.remove(pod.key());
  }
}
