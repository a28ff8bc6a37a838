package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The effect of a binding on pods. */
public enum Enforcement {
  /** The binding changes pods. */
  @JsonProperty("Enforce")
  ENFORCE,
  /** The binding reports the changes that it would make, and changes nothing. */
  @JsonProperty("DryRun")
  DRY_RUN
}
