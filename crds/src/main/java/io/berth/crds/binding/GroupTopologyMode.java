package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The strictness with which the pods of a group are kept in one topology domain. */
public enum GroupTopologyMode {
  /** All pods are placed on nodes with the same value of the label. */
  @JsonProperty("Required")
  REQUIRED,
  /** The pods are placed on nodes with as few values of the label as possible. */
  @JsonProperty("Preferred")
  PREFERRED
}
