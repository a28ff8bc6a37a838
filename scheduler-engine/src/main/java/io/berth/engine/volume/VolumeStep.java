package io.berth.engine.volume;

import io.berth.engine.PreBindStep;

/** A step for one of a pod's claims before the pod is bound to its node. */
public sealed interface VolumeStep extends PreBindStep {

  /** The claim's namespace: the pod's own. */
  String namespace();

  String claimName();

  /**
   * Set the volume's claimRef to the claim, and wait until both show that they are bound.
   *
   * @param volumeVersion the volume's resourceVersion when it was decided on: if it has another by
   *     then, it may be somebody else's
   */
  record Bind(
      String namespace, String claimName, String claimUid, String volumeName, String volumeVersion)
      implements VolumeStep {}

  /**
   * Set the claim's annotation {@code volume.kubernetes.io/selected-node}, and wait until it is
   * bound to the volume that is then made.
   *
   * @param claimVersion the claim's resourceVersion when it was decided on
   */
  record Provision(String namespace, String claimName, String nodeName, String claimVersion)
      implements VolumeStep {}
}
