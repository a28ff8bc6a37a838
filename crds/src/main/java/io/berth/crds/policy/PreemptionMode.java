package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The handling of a decision to evict pods. */
public enum PreemptionMode {
  /** The victims are evicted, and their resources are reserved for the preemptor. */
  @JsonProperty("Enforce")
  ENFORCE,
  /** Events, metrics and the decision record report the victims; no pods are evicted. */
  @JsonProperty("DryRun")
  DRY_RUN
}
