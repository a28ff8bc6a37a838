package io.berth.engine.plugins;

import io.berth.engine.framework.Change;
import io.berth.engine.model.PodVolume;
import io.berth.engine.quantity.ExactQuantity;
import io.berth.engine.volume.CsiDriver;
import io.berth.engine.volume.CsiNode;
import io.berth.engine.volume.StorageCapacity;
import io.berth.engine.volume.StorageClass;
import io.berth.engine.volume.StorageTable;
import io.berth.engine.volume.Volume;
import io.berth.engine.volume.VolumeClaim;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The storage changes that may allow a pod's claims to be bound. Includes a change if in doubt.
 *
 * @param namespace the pod's namespace
 * @param volumes the pod's volumes
 */
record ClaimCure(String namespace, List<PodVolume> volumes, StorageTable storage) {

  boolean by(Change.StorageChanged change) {
    return switch (change.object().orElse(null)) {
      case null -> true;
      case VolumeClaim claim -> isOwn(claim);
      case Volume volume -> anyClaim(claim -> mayServe(volume, claim));
      case StorageClass of -> anyClaim(claim -> claim.storageClass().equals(of.name()));
      case StorageCapacity capacity -> anyClaim(claim -> mayHold(capacity, claim));
      case CsiDriver driver -> anyClaim(claim -> makes(driver, claim));
      // It lists the plugins that its node has migrated to CSI, and so determines which bound
      // volumes the node reaches.
      case CsiNode node -> anyClaim(claim -> !claim.volumeName().isEmpty());
      default -> false;
    };
  }

  private boolean isOwn(VolumeClaim changed) {
    return changed.namespace().equals(namespace)
        && volumes.stream()
            .anyMatch(
                volume ->
                    volume instanceof PodVolume.Claim claim
                        && claim.claimName().equals(changed.name()));
  }

  /** Returns whether the test holds for one of the claims, or one of them is unknown. */
  private boolean anyClaim(Predicate<VolumeClaim> test) {
    for (PodVolume volume : volumes) {
      if (volume instanceof PodVolume.Claim wanted) {
        Optional<VolumeClaim> claim = storage.claim(namespace, wanted.claimName());
        if (claim.isEmpty() || test.test(claim.get())) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns whether the volume is the claim's own, is reserved for it, or has its class. */
  private static boolean mayServe(Volume volume, VolumeClaim claim) {
    return claim.volumeName().isEmpty()
        ? volume.storageClass().equals(claim.storageClass())
        : claim.volumeName().equals(volume.name());
  }

  private static boolean mayHold(StorageCapacity capacity, VolumeClaim claim) {
    ExactQuantity requested = claim.requested().orElse(ExactQuantity.ZERO);
    return claim.volumeName().isEmpty()
        && capacity.storageClass().equals(claim.storageClass())
        && capacity.largestVolume().map(most -> most.compareTo(requested) >= 0).orElse(false);
  }

  private boolean makes(CsiDriver driver, VolumeClaim claim) {
    return storage
        .storageClass(claim.storageClass())
        .map(of -> of.provisioner().equals(driver.name()))
        .orElse(true);
  }
}
