package io.berth.operator.feed;

import java.util.Optional;

/** Receives every change of a pod. */
@FunctionalInterface
public interface PodFollower {
  /**
   * Called when a pod was added or has changed, in the order of changes; must not block.
   *
   * @param before the previous state of the pod; empty for a new one
   */
  void changed(Optional<FedPod> before, FedPod now);
}
