package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A part of a binding for which bindings compete. */
public enum BindingField {
  /** The node configs. */
  @JsonProperty("nodeConfigs")
  NODE_CONFIGS,
  /** The pod configs. */
  @JsonProperty("podConfigs")
  POD_CONFIGS,
  /** The policy. */
  @JsonProperty("schedulingPolicy")
  SCHEDULING_POLICY,
  /** The group. */
  @JsonProperty("group")
  GROUP
}
