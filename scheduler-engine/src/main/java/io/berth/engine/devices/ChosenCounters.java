package io.berth.engine.devices;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The counters of the pools with one name during a search: what allocated devices leave of them,
 * and what the search has chosen. Pools of different drivers that have the same name share the
 * counters of the one whose devices are chosen first, as in kube-scheduler.
 */
final class ChosenCounters {
  private static final class OfName {
    private final PoolOnNode.Counters counters;
    private final BigDecimal[] available;
    private final BigDecimal[] chosen;
    private boolean exhausted;

    OfName(PoolOnNode pool) {
      counters = pool.counters();
      available = counters.values().toArray(BigDecimal[]::new);
      chosen = new BigDecimal[available.length];
      java.util.Arrays.fill(chosen, BigDecimal.ZERO);
      subtractAllocated(pool.devices());
      subtractAllocated(pool.others());
      for (BigDecimal amount : available) {
        exhausted |= amount.signum() < 0;
      }
    }

    private void subtractAllocated(List<KnownDevice> devices) {
      for (KnownDevice known : devices) {
        if (!known.device().uses().isEmpty() && known.use().isAllocated()) {
          for (CounterSet set : known.device().uses()) {
            set.counters()
                .forEach(
                    (name, amount) -> {
                      int number = counters.numberOf(set.name(), name);
                      if (number >= 0) {
                        available[number] = available[number].subtract(amount);
                      }
                    });
          }
        }
      }
    }
  }

  private final Map<String, OfName> byName = new HashMap<>();

  /**
   * Chooses what a device uses, unless too little is left: of its counters, or of any other counter
   * of the pool, which other devices have overdrawn.
   */
  boolean choose(PoolOnNode pool, Device device) {
    OfName of = byName.computeIfAbsent(pool.id().name(), absent -> new OfName(pool));
    boolean fits = !of.exhausted;
    for (CounterSet set : device.uses()) {
      for (Map.Entry<String, BigDecimal> counter : set.counters().entrySet()) {
        int number = of.counters.numberOf(set.name(), counter.getKey());
        if (number >= 0) {
          of.chosen[number] = of.chosen[number].add(counter.getValue());
          fits &= of.chosen[number].compareTo(of.available[number]) <= 0;
        }
      }
    }
    if (!fits) {
      giveBack(pool, device);
    }
    return fits;
  }

  void giveBack(PoolOnNode pool, Device device) {
    OfName of = byName.get(pool.id().name());
    for (CounterSet set : device.uses()) {
      set.counters()
          .forEach(
              (name, amount) -> {
                int number = of.counters.numberOf(set.name(), name);
                if (number >= 0) {
                  of.chosen[number] = of.chosen[number].subtract(amount);
                }
              });
    }
  }
}
