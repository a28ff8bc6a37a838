package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The strategy for choosing cards on a node. */
public enum CardChoice {
  /** The card that leaves the fewest fragments for the target workload. */
  @JsonProperty("LeastFragmentation")
  LEAST_FRAGMENTATION,
  /** The fullest card that fits. */
  @JsonProperty("BestFit")
  BEST_FIT,
  /** The emptiest card. */
  @JsonProperty("Spread")
  SPREAD,
  /**
   * Multiple cards from one NVLink group or NUMA node, and single cards from groups that are
   * already partly used.
   */
  @JsonProperty("Topology")
  TOPOLOGY
}
