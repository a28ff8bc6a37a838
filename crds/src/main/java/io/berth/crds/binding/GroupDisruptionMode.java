package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The unit in which the pods of a group are disrupted. */
public enum GroupDisruptionMode {
  /** Each pod by itself. */
  @JsonProperty("Pod")
  POD,
  /** All pods or none. */
  @JsonProperty("Group")
  GROUP
}
