package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The treatment of a decision to evict pods. */
public enum PreemptionMode {
  /** The victims are evicted, and room is promised to the preemptor. */
  @JsonProperty("Enforce")
  ENFORCE,
  /** Events, metrics and the decision record name the victims; nobody is evicted. */
  @JsonProperty("DryRun")
  DRY_RUN
}
