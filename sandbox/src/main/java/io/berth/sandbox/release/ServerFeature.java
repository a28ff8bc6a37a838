package io.berth.sandbox.release;

/**
 * A behavior that not all supported API server versions have by default, with the Kubernetes
 * feature gate or KEP that introduced it.
 */
public enum ServerFeature {
  /** Pods have the resize subresource (InPlacePodVerticalScaling). */
  RESIZE(KubernetesVersion.V1_33),

  /** Pods have a metadata.generation (KEP-5067). */
  GENERATION_OF_PODS(KubernetesVersion.V1_33),

  /**
   * matchLabelKeys of topology spread constraints are merged into their label selectors
   * (MatchLabelKeysInPodTopologySpreadSelectorMerge).
   */
  MERGED_SPREAD_SELECTORS(KubernetesVersion.V1_34),

  /**
   * The labels of a Binding are copied to the pod, and pods get the region and zone labels of their
   * node (PodTopologyLabelsAdmission).
   */
  LABELS_OF_BINDINGS(KubernetesVersion.V1_35),

  /** A Binding clears status.nominatedNodeName (ClearingNominatedNodeNameAfterBinding). */
  CLEARED_NOMINATION(KubernetesVersion.V1_35),

  /**
   * Writing the allocation, the reservation, or the devices of a claim's status takes a right of
   * its own (DRAResourceClaimGranularStatusAuthorization).
   */
  RIGHTS_IN_CLAIM_STATUS(KubernetesVersion.V1_36),

  /**
   * PodGroups and Workloads of scheduling.k8s.io/v1beta1 are served. In a cluster, they are off by
   * default (GenericWorkload).
   */
  POD_GROUPS(KubernetesVersion.V1_37),

  /** DeviceTaintRules of resource.k8s.io/v1 are served (DRADeviceTaintRules). */
  DEVICE_TAINT_RULES(KubernetesVersion.V1_37);

  private final KubernetesVersion since;

  ServerFeature(KubernetesVersion since) {
    this.since = since;
  }

  /** Returns whether a version has this behavior by default. */
  public boolean isIn(KubernetesVersion version) {
    return version.isAtLeast(since);
  }
}
