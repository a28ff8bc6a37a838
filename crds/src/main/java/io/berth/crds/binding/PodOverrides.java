package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Whether a pod's own annotations replace what a binding says. */
public enum PodOverrides {
  /** Annotations on the pod win. */
  @JsonProperty("Allow")
  ALLOW,
  /** The binding wins. */
  @JsonProperty("Deny")
  DENY
}
