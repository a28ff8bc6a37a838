package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The pods of a group that are disrupted together. */
public enum GroupDisruptionMode {
  /** Each pod by itself. */
  @JsonProperty("Pod")
  POD,
  /** All pods or none. */
  @JsonProperty("Group")
  GROUP
}
