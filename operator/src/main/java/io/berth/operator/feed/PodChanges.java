package io.berth.operator.feed;

import java.util.Optional;

/** Forwards the changes of the pod cache to a follower. */
record PodChanges(PodFollower follower) implements KindCache.Follower<FedPod> {
  @Override
  public void put(FedPod pod) {
    follower.changed(Optional.empty(), pod);
  }

  @Override
  public void changed(FedPod before, FedPod pod) {
    follower.changed(Optional.of(before), pod);
  }

  @Override
  public void removed(FedPod pod) {
    // a deleted pod holds no resources
  }
}
