package io.berth.operator.feed;

import java.util.Optional;

/** Receives the events of every pod. */
@FunctionalInterface
public interface PodFollower {
  /**
   * A pod is there, or has changed. Called in the order of changes; must not wait.
   *
   * @param before the pod as it was; empty for one that is new
   */
  void changed(Optional<FedPod> before, FedPod now);
}
