package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A pool as one node sees it.
 *
 * @param state whether devices can be allocated from it
 * @param devices its devices that the node may reach, in order
 * @param others its other devices, which use the same counters
 * @param counters the counters that its devices share
 */
record PoolOnNode(
    PoolId id,
    State state,
    List<KnownDevice> devices,
    List<KnownDevice> others,
    Counters counters) {
  /** The states of a pool. */
  enum State {
    /** They can. */
    USABLE,
    /** Its driver has not published all of its slices yet. */
    INCOMPLETE,
    /** Its slices contradict each other. */
    INVALID
  }

  static PoolOnNode unusable(PoolId id, State state) {
    return new PoolOnNode(id, state, List.of(), List.of(), Counters.of(List.of()));
  }

  boolean isUsable() {
    return state == State.USABLE;
  }

  boolean hasBindingConditions() {
    for (KnownDevice device : devices) {
      if (!device.device().bindingConditions().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** The counters of a pool, by number. */
  record Counters(Map<String, Map<String, Integer>> numbers, List<BigDecimal> values) {
    static Counters of(List<CounterSet> sets) {
      Map<String, Map<String, Integer>> numbers = new HashMap<>();
      List<BigDecimal> values = new ArrayList<>();
      for (CounterSet set : sets) {
        Map<String, Integer> ofSet = new HashMap<>();
        set.counters()
            .forEach(
                (name, value) -> {
                  ofSet.put(name, values.size());
                  values.add(value);
                });
        numbers.put(set.name(), ofSet);
      }
      return new Counters(numbers, values);
    }

    /** Returns the number of a counter; -1 if the pool has none with these names. */
    int numberOf(String set, String counter) {
      return numbers.getOrDefault(set, Map.of()).getOrDefault(counter, -1);
    }
  }
}
