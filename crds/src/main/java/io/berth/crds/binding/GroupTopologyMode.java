package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The strictness with which the pods of a group are kept together. */
public enum GroupTopologyMode {
  /** All pods are placed on nodes with one value of the label. */
  @JsonProperty("Required")
  REQUIRED,
  /** As few values as possible. */
  @JsonProperty("Preferred")
  PREFERRED
}
