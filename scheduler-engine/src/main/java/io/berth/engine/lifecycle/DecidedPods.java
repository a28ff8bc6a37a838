package io.berth.engine.lifecycle;

import io.berth.engine.api.Decision;
import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Decisions that have not been returned to the caller yet. One attempt for a group decides about
 * many pods, and the engine returns one decision at a time. A decision may have become obsolete in
 * the meantime.
 */
public final class DecidedPods {
  private final ClusterState state;
  private final AssumedPods assumed;
  private final Deque<Decision> decisions = new ArrayDeque<>();

  DecidedPods(ClusterState state, AssumedPods assumed) {
    this.state = state;
    this.assumed = assumed;
  }

  /** Adds a decision. */
  public void add(Decision decision) {
    decisions.add(decision);
  }

  /** Returns the next decision that is still valid. */
  public Optional<Decision> poll() {
    while (!decisions.isEmpty()) {
      Decision decision = decisions.poll();
      if (holds(decision)) {
        return Optional.of(decision);
      }
    }
    return Optional.empty();
  }

  private boolean holds(Decision decision) {
    PodEntry pod = state.pods().byUid(decision.pod().uid());
    if (pod == null) {
      return false;
    }
    boolean isAssumed = assumed.contains(pod.key());
    return switch (decision) {
      case Decision.Placed placed ->
          isAssumed && pod.slot() == state.nodes().slotOf(placed.nodeName());
      case Decision.Unschedulable unschedulable -> isWaiting(pod, isAssumed);
      case Decision.Nominated nominated -> isWaiting(pod, isAssumed);
      case Decision.Quarantined quarantined -> isWaiting(pod, isAssumed);
      case Decision.GivenBack givenBack -> isAssumed || !pod.model().nodeName().isEmpty();
    };
  }

  private static boolean isWaiting(PodEntry pod, boolean isAssumed) {
    return !isAssumed && pod.model().nodeName().isEmpty();
  }
}
