package io.berth.engine.model;

/** The disruption mode of a group. */
public enum GroupDisruption {
  /** Each pod is disrupted individually. */
  POD,
  /** All members are disrupted, or none. */
  GROUP
}
