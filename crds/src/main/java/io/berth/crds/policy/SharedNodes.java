package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The expectation of other schedulers that bind pods to the same nodes. */
public enum SharedNodes {
  /** Nodes are Berth's alone, or an overcommitted node is the kubelet's to resolve. */
  @JsonProperty("Trust")
  TRUST,
  /** A node is read back after bindings there, and repaired where its pods do not fit. */
  @JsonProperty("Verify")
  VERIFY
}
