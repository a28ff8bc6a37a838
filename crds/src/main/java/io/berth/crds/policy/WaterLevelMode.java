package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The current scoring mode of WaterLevel. */
public enum WaterLevelMode {
  /** Fullest nodes first. */
  @JsonProperty("Pack")
  PACK,
  /** Emptiest nodes first. */
  @JsonProperty("Spread")
  SPREAD
}
