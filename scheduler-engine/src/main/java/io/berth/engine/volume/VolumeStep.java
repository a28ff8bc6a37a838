package io.berth.engine.volume;

import io.berth.engine.model.PreBindStep;

/** A step for one of a pod's claims before the pod is bound to its node. */
public sealed interface VolumeStep extends PreBindStep {

  /** Returns the claim's namespace, which is that of the pod. */
  String namespace();

  String claimName();

  /**
   * Sets the volume's claimRef to the claim, and waits until both are bound.
   *
   * @param volumeVersion the volume's resourceVersion at the time of the decision; if it has
   *     changed, another claim may have the volume
   */
  record Bind(
      String namespace, String claimName, String claimUid, String volumeName, String volumeVersion)
      implements VolumeStep {}

  /**
   * Sets the claim's annotation {@code volume.kubernetes.io/selected-node}, and waits until it is
   * bound to the provisioned volume.
   *
   * @param claimVersion the claim's resourceVersion at the time of the decision
   */
  record Provision(String namespace, String claimName, String nodeName, String claimVersion)
      implements VolumeStep {}
}
