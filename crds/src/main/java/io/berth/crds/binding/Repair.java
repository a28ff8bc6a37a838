package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** What is done with pods that were admitted without the binding. */
public enum Repair {
  /** They are reported. */
  @JsonProperty("None")
  NONE,
  /** They are evicted, so that their controller makes them anew. */
  @JsonProperty("Recreate")
  RECREATE
}
