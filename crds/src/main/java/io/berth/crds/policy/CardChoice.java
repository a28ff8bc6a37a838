package io.berth.crds.policy;

import com.fasterxml.jackson.annotation.JsonProperty;

/** By what the cards of a node are chosen. */
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
  /** Several cards within one NVLink group or NUMA node, single ones from broken groups. */
  @JsonProperty("Topology")
  TOPOLOGY
}
