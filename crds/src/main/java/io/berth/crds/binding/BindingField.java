package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A field of a binding whose value is taken from the binding of the highest precedence. */
public enum BindingField {
  /** The node configs. */
  @JsonProperty("nodeConfigs")
  NODE_CONFIGS,
  /** The pod configs. */
  @JsonProperty("podConfigs")
  POD_CONFIGS,
  /** The scheduling policy. */
  @JsonProperty("schedulingPolicy")
  SCHEDULING_POLICY,
  /** The group. */
  @JsonProperty("group")
  GROUP,
  /** The queue. */
  @JsonProperty("queue")
  QUEUE
}
