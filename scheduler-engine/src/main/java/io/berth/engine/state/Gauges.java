package io.berth.engine.state;

import io.berth.engine.journal.Journal;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The gauges of the served policies. Equal plugins of several policies share one gauge. A gauge
 * that is also a {@link Timer} is registered as one for its lifetime.
 */
public final class Gauges {
  private static final class Held {
    final Gauge gauge;
    int uses;

    Held(Gauge gauge) {
      this.gauge = gauge;
    }
  }

  private final Journal journal;
  private final Timers timers;
  private final Map<Object, Held> held = new LinkedHashMap<>();

  Gauges(Journal journal, Timers timers) {
    this.journal = journal;
    this.timers = timers;
  }

  /** Adds a use of the plugin by a policy; every call requires one {@link #release}. */
  public void acquire(Object plugin, Supplier<Gauge> make) {
    held.computeIfAbsent(plugin, absent -> hold(make.get())).uses++;
  }

  private Held hold(Gauge gauge) {
    if (gauge instanceof Timer timer) {
      timers.add(timer);
    }
    return new Held(gauge);
  }

  /** Releases one use of the plugin. */
  public void release(Object plugin) {
    Held known = held.get(plugin);
    if (known == null) {
      throw new IllegalStateException("no policy uses " + plugin);
    }
    if (--known.uses == 0) {
      held.remove(plugin);
      if (known.gauge instanceof Timer timer) {
        timers.remove(timer);
      }
    }
  }

  /** Returns the gauge of a plugin, if a served policy uses the plugin. */
  public Optional<Gauge> find(Object plugin) {
    @Nullable Held known = held.get(plugin);
    return Optional.ofNullable(known).map(found -> found.gauge);
  }

  /** Returns the number of gauges. */
  public int size() {
    return held.size();
  }

  /** Advances every gauge. */
  public void advance() {
    journal.requireClosed("the move of a gauge");
    for (Held known : held.values()) {
      known.gauge.advance();
    }
  }
}
