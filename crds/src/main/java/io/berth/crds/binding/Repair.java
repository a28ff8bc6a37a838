package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The treatment of pods that were admitted without the binding. */
public enum Repair {
  /** They are reported. */
  @JsonProperty("None")
  NONE,
  /** They are evicted, so that their controller creates them again. */
  @JsonProperty("Recreate")
  RECREATE
}
