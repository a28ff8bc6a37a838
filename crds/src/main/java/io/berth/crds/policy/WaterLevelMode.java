package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The current scoring mode of WaterLevel. */
public enum WaterLevelMode {
  /** Full nodes first. */
  @JsonProperty("Pack")
  PACK,
  /** Empty nodes first. */
  @JsonProperty("Spread")
  SPREAD
}
