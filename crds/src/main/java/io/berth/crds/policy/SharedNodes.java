package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The handling of other schedulers that bind pods to the same nodes. */
public enum SharedNodes {
  /** No other scheduler is expected, or the kubelet resolves overcommitted nodes. */
  @JsonProperty("Trust")
  TRUST,
  /** Nodes are read back after bindings, and pods are evicted from overcommitted nodes. */
  @JsonProperty("Verify")
  VERIFY
}
