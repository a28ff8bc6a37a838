package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How WaterLevel scores at present. */
public enum WaterLevelMode {
  /** Full nodes first. */
  @JsonProperty("Pack")
  PACK,
  /** Empty nodes first. */
  @JsonProperty("Spread")
  SPREAD
}
