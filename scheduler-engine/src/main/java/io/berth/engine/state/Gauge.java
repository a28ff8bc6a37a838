package io.berth.engine.state;

import java.util.List;

/**
 * State with memory that scores read, such as a hysteresis. It is no remembered answer, for those
 * may be dropped at any time and worked out again. It moves once for each attempt, before the
 * attempt begins, so that what is tried out and taken back never moves it.
 */
public interface Gauge {
  /**
   * The reading of a gauge.
   *
   * @param scope the part of the cluster that it is about: {@code cluster}, or a node label and its
   *     value as {@code key=value}
   * @param mode the remembered state, as users name it
   * @param level the measured value
   */
  record Reading(String scope, String mode, double level) {}

  /** Takes over what changed in the cluster. */
  void advance();

  /** Returns the current readings, by scope. */
  List<Reading> readings();

  /** Takes up the state that a gauge before this one had; an unknown mode is ignored. */
  void seed(String scope, String mode);
}
