package io.berth.engine.volume;

import io.berth.engine.model.PodVolume;
import java.util.Optional;

/**
 * Claims that wait for their first consumer, described by the properties that affect their
 * placement.
 */
public final class UnboundClaims {
  private UnboundClaims() {}

  /**
   * Describes a claim that only one pod uses. Empty if placement depends on more than the
   * description: the claim has a volume, or one that is reserved for it, or a node for which its
   * volume is being provisioned; it does not wait for a consumer; or it cannot be used.
   */
  public static Optional<PodVolume> describe(
      String namespace, PodVolume.Claim wanted, StorageTable storage) {
    Optional<VolumeClaim> found = storage.claim(namespace, wanted.claimName());
    if (ClaimPlanner.problemOf(wanted, found).isPresent()) {
      return Optional.empty();
    }
    VolumeClaim claim = found.orElseThrow();
    boolean waits =
        storage
            .storageClass(claim.storageClass())
            .flatMap(StorageClass::waitsForConsumer)
            .orElse(false);
    if (!waits
        || claim.isBound()
        || !claim.volumeName().isEmpty()
        || !claim.selectedNode().isEmpty()
        || !storage.ofClass(claim.storageClass()).keptFor(claim).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new PodVolume.UnboundClaim(
            claim.storageClass(),
            claim.requested(),
            claim.accessModes(),
            claim.volumeMode(),
            claim.selector(),
            claim.attributesClass()));
  }

  /**
   * Returns a claim with these properties. It has no name, so that no volume can be reserved for
   * it.
   */
  static VolumeClaim claimLike(PodVolume.UnboundClaim description) {
    return new VolumeClaim(
        "",
        "",
        "",
        "",
        description.storageClass(),
        "",
        false,
        "",
        false,
        false,
        description.accessModes(),
        description.requested(),
        description.volumeMode(),
        description.selector(),
        description.attributesClass());
  }
}
