package io.berth.engine.model;

/** The members of a group that are disrupted together. */
public enum GroupDisruption {
  /** Each pod by itself. */
  POD,
  /** All members or none. */
  GROUP
}
