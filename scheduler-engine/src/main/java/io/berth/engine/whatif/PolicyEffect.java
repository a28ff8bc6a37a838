package io.berth.engine.whatif;

/** The effect of a changed policy on one pod, the worst first. */
public enum PolicyEffect {
  /** The pod would be denied, or its policy would not place pods of its namespace. */
  DENIED,
  /** The pod would fit nowhere, and fits today. */
  FITS_NOWHERE,
  /** The pod would be placed by evicting pods that would not be evicted for it today. */
  EVICTS,
  /** The pod would go to another node than it would today. */
  GOES_ELSEWHERE,
  /** The pod would fit, and fits nowhere today. */
  FITS_NOW,
  /** The pod would stay on its node, or the same would happen as today. */
  UNCHANGED
}
