package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.Map;

/**
 * Counters of a pool: those that its devices share, or the amounts of them that one device uses.
 *
 * @param name the name of the set
 */
public record CounterSet(String name, Map<String, BigDecimal> counters) {
  public CounterSet {
    counters = Map.copyOf(counters);
  }
}
