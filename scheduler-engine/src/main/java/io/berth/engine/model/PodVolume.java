package io.berth.engine.model;

import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;
import java.util.Set;

/** A volume of a pod, reduced to what placement depends on. */
public sealed interface PodVolume {

  /**
   * A PersistentVolumeClaim of the pod's namespace.
   *
   * @param claimName the claim's name
   * @param madeFor the pod that must own the claim, for a generic ephemeral volume; absent for
   *     other claims
   */
  record Claim(String claimName, Optional<PodRef> madeFor) implements PodVolume {}

  /**
   * The description of a {@link Claim} that has no volume yet, waits for its first consumer, and is
   * used by this pod alone. It contains everything that placement reads from such a claim, so pods
   * that differ only in the names of their claims are equal in this form.
   *
   * @param requested the requested storage; absent if there is no request
   * @param selector selects suitable volumes; absent if any is
   */
  record UnboundClaim(
      String storageClass,
      Optional<ExactQuantity> requested,
      Set<String> accessModes,
      String volumeMode,
      Optional<LabelSelector> selector,
      String attributesClass)
      implements PodVolume {
    public UnboundClaim {
      accessModes = Set.copyOf(accessModes);
    }
  }

  /**
   * A disk that the pod references directly, and that pods cannot always share.
   *
   * @param kind the kind of volume source, as in the API: {@code gcePersistentDisk}, {@code
   *     awsElasticBlockStore}, {@code iscsi}, {@code rbd}; or {@code azureDisk}, {@code cinder},
   *     {@code portworxVolume}, which are only counted
   * @param id identifies the disk
   * @param readOnly whether it may be shared with other readers
   */
  record Disk(String kind, String id, boolean readOnly) implements PodVolume {}

  /** An inline CSI volume. */
  record Inline(String driver, String name) implements PodVolume {}
}
