package io.berth.operator.feed;

import io.berth.engine.api.ClusterEvent;
import io.fabric8.kubernetes.api.model.Pod;

/** Pods as the feed caches them, for tests of other packages. */
public final class FedPods {
  private FedPods() {}

  public static FedPod of(Pod pod, ClusterEvent event) {
    return FedPod.of(pod, event);
  }
}
