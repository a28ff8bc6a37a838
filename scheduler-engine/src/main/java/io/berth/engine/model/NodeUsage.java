package io.berth.engine.model;

import java.time.Duration;
import java.time.Instant;

/**
 * A report of a node's measured usage.
 *
 * @param at the end of the measured period, by the clock of the metrics source
 * @param window the length of the measured period
 * @param used usage by resource; absent resources were not measured
 */
public record NodeUsage(String node, Instant at, Duration window, ResourceAmounts used) {

  /** Returns whether the report fully includes the usage of a pod that started at this time. */
  public boolean contains(Instant startedAt) {
    return !startedAt.isAfter(at.minus(window));
  }
}
