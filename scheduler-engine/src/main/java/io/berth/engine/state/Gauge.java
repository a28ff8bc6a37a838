package io.berth.engine.state;

import java.util.List;

/**
 * Scoring state that persists between attempts, such as a hysteresis. It is not a cached answer,
 * because those may be dropped and computed again at any time. It advances once for each attempt,
 * before the attempt begins, so that dry runs never advance it.
 */
public interface Gauge {
  /**
   * The reading of a gauge.
   *
   * @param scope the part of the cluster that it covers: {@code cluster}, or a node label and its
   *     value as {@code key=value}
   * @param mode the current mode, by its user-visible name
   * @param level the measured value
   */
  record Reading(String scope, String mode, double level) {}

  /** Applies the changes in the cluster. */
  void advance();

  /** Returns the current readings, by scope. */
  List<Reading> readings();

  /** Restores the mode of a previous gauge; an unknown mode is ignored. */
  void seed(String scope, String mode);
}
