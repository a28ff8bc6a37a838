package io.berth.engine.model;

import io.berth.engine.PodRef;
import io.berth.engine.quantity.ExactQuantity;
import java.util.Optional;
import java.util.Set;

/** A volume of a pod, as far as its placement depends on it. */
public sealed interface PodVolume {

  /**
   * A PersistentVolumeClaim of the pod's namespace.
   *
   * @param claimName the claim's name
   * @param madeFor the pod that the claim is made for and must be owned by (a generic ephemeral
   *     volume); absent for a claim that stands on its own
   */
  record Claim(String claimName, Optional<PodRef> madeFor) implements PodVolume {}

  /**
   * Stands for a {@link Claim} that has no volume yet, waits for its first consumer, and is used by
   * this pod alone. It consists of all that placement reads from such a claim. Pods that differ
   * only in the names of their claims are equal in this form.
   *
   * @param requested how much storage it asks for; absent where it does not say
   * @param selector which volumes may serve it; absent where any may
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
   * A disk that the pod names itself and that not every two pods may share.
   *
   * @param kind of the volume source, as in the API: {@code gcePersistentDisk}, {@code
   *     awsElasticBlockStore}, {@code iscsi}, {@code rbd}; or {@code azureDisk}, {@code cinder},
   *     {@code portworxVolume}, which are only counted
   * @param id what makes two of them the same disk
   * @param readOnly whether it may be shared with others that only read it
   */
  record Disk(String kind, String id, boolean readOnly) implements PodVolume {}

  /** An inline CSI volume. */
  record Inline(String driver, String name) implements PodVolume {}
}
