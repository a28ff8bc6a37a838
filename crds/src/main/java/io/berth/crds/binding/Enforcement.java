package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Whether a binding changes pods. */
public enum Enforcement {
  /** The binding changes pods. */
  @JsonProperty("Enforce")
  ENFORCE,
  /** The binding says what it would change, and changes nothing. */
  @JsonProperty("DryRun")
  DRY_RUN
}
