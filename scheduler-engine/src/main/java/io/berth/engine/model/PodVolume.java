package io.berth.engine.model;

import io.berth.engine.PodRef;
import java.util.Optional;

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
