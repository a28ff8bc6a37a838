package io.berth.engine.volume;

/** What has to be done for one of a pod's claims before the pod is bound to its node. */
public sealed interface VolumeStep {

  /** The claim's namespace: the pod's own. */
  String namespace();

  String claimName();

  /** Set the volume's claimRef to the claim, and wait until both show that they are bound. */
  record Bind(String namespace, String claimName, String claimUid, String volumeName)
      implements VolumeStep {}

  /**
   * Set the claim's annotation {@code volume.kubernetes.io/selected-node}, and wait until it is
   * bound to the volume that is then made.
   */
  record Provision(String namespace, String claimName, String nodeName) implements VolumeStep {}
}
