package io.berth.operator;

import io.berth.operator.bind.ClaimPreparation;
import io.berth.operator.bind.ClaimPreparation.ClaimState;
import io.berth.operator.feed.ClusterFeed;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import java.util.Map;
import java.util.Optional;

/**
 * Persistent volume claims and volumes, as the informers cache them.
 *
 * @param feed the watched cluster
 */
record WatchedStorage(ClusterFeed feed) implements ClaimPreparation.Storage {

  @Override
  public Optional<ClaimState> claim(String namespace, String name) {
    return feed.claim(namespace, name).map(WatchedStorage::state);
  }

  @Override
  public Optional<String> holder(String volumeName) {
    return feed.volume(volumeName)
        .map(volume -> volume.getSpec().getClaimRef())
        .map(ObjectReference::getUid);
  }

  private static ClaimState state(PersistentVolumeClaim claim) {
    boolean bound = claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
    Map<String, String> annotations = claim.getMetadata().getAnnotations();
    return new ClaimState(
        bound,
        annotations == null ? "" : annotations.getOrDefault(ClaimPreparation.SELECTED_NODE, ""));
  }
}
