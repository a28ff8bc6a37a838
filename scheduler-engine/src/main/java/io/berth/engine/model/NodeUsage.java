package io.berth.engine.model;

import java.time.Duration;
import java.time.Instant;

/**
 * A report of what a node really uses.
 *
 * @param at the end of the time over which it was measured, by the clock of who measured it
 * @param window the length of that time
 * @param used by resource; what is absent was not measured
 */
public record NodeUsage(String node, Instant at, Duration window, ResourceAmounts used) {

  /** Returns whether the usage of a pod that started at this time is part of the report in full. */
  public boolean contains(Instant startedAt) {
    return !startedAt.isAfter(at.minus(window));
  }
}
