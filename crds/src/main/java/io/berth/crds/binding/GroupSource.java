package io.berth.crds.binding;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The objects whose pods form groups. */
public enum GroupSource {
  /** The Job, RayCluster or SparkApplication that a pod belongs to. */
  @JsonProperty("Owner")
  OWNER
}
