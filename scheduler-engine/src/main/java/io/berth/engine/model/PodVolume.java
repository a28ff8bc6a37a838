package io.berth.engine.model;

/** A volume of a pod, as far as its placement depends on it. */
public sealed interface PodVolume {

  /**
   * A PersistentVolumeClaim of the pod's namespace.
   *
   * @param claimName the claim's name
   * @param ownerUid the pod's UID where the claim is made for this pod alone (a generic ephemeral
   *     volume) and must be owned by it; empty otherwise
   */
  record Claim(String claimName, String ownerUid, boolean readOnly) implements PodVolume {}

  /**
   * A disk that the pod names itself and that not every two pods may share.
   *
   * @param kind of the volume source, as in the API: {@code gcePersistentDisk}, {@code
   *     awsElasticBlockStore}, {@code iscsi}, {@code rbd}, or the name of an in-tree driver's CSI
   *     successor where only a count is kept
   * @param id what makes two of them the same disk
   */
  record Disk(String kind, String id, boolean readOnly) implements PodVolume {}

  /** An inline CSI volume. */
  record Inline(String driver, String name) implements PodVolume {}
}
