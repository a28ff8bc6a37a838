package io.berth.operator.load;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A node's usage as reported by its source, before validation.
 *
 * @param node the node's name
 * @param at the end of the measured interval
 * @param window the length of the measured interval
 * @param used usage by resource: {@code cpu} in cores, memory in bytes, others in units; NaN if the
 *     source has no valid number
 */
record Measurement(String node, Instant at, Duration window, Map<String, Double> used) {
  Measurement {
    used = Map.copyOf(used);
  }
}
