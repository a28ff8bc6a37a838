package io.berth.engine.lifecycle;

import io.berth.engine.state.ClusterState;
import io.berth.engine.state.PodEntry;
import java.util.HashSet;
import java.util.Set;

/** The pods that were placed and have not been seen bound, by UID. */
public final class AssumedPods {
  private final ClusterState state;
  private final Set<String> assumed = new HashSet<>();

  AssumedPods(ClusterState state) {
    this.state = state;
  }

  void add(String uid) {
    assumed.add(uid);
  }

  /** Removes a pod that is bound, gone, or has lost its node; returns whether it was assumed. */
  boolean remove(String uid) {
    return assumed.remove(uid);
  }

  /** Returns whether a pod was placed and has not been seen bound. */
  public boolean contains(String uid) {
    return assumed.contains(uid);
  }

  /** Returns whether a pod is assumed or bound. */
  public boolean isPlaced(String uid) {
    if (assumed.contains(uid)) {
      return true;
    }
    PodEntry pod = state.pods().byUid(uid);
    return pod != null && !pod.model().nodeName().isEmpty();
  }
}
