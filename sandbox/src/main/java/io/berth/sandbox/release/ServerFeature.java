package io.berth.sandbox.release;

/**
 * A behavior of API servers that not all versions have by default. Each names the feature gate of
 * Kubernetes whose default decides.
 */
public enum ServerFeature {
  /** Pods have the subresource resize (InPlacePodVerticalScaling). */
  RESIZE(KubernetesVersion.V1_33),

  /** Pods have a metadata.generation (KEP-5067). */
  GENERATION_OF_PODS(KubernetesVersion.V1_33),

  /**
   * matchLabelKeys of spread constraints become part of their selectors
   * (MatchLabelKeysInPodTopologySpreadSelectorMerge).
   */
  MERGED_SPREAD_SELECTORS(KubernetesVersion.V1_34),

  /**
   * Bindings give pods their labels, and pods get their node's region and zone
   * (PodTopologyLabelsAdmission).
   */
  LABELS_OF_BINDINGS(KubernetesVersion.V1_35),

  /** A Binding clears status.nominatedNodeName (ClearingNominatedNodeNameAfterBinding). */
  CLEARED_NOMINATION(KubernetesVersion.V1_35);

  private final KubernetesVersion since;

  ServerFeature(KubernetesVersion since) {
    this.since = since;
  }

  /** Returns whether servers of a version have it. */
  public boolean isIn(KubernetesVersion version) {
    return version.isAtLeast(since);
  }
}
