package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The precedence between a pod's own annotations and a binding. */
public enum PodOverrides {
  /** Annotations on the pod win. */
  @JsonProperty("Allow")
  ALLOW,
  /** The binding wins. */
  @JsonProperty("Deny")
  DENY
}
