package io.berth.operator.load;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A node's usage as its source gives it, not yet checked.
 *
 * @param at the end of the measured time
 * @param window the length of the measured time
 * @param used cores of {@code cpu}, bytes or units of others; not a number where the source gives
 *     none
 */
record Measurement(String node, Instant at, Duration window, Map<String, Double> used) {
  Measurement {
    used = Map.copyOf(used);
  }
}
