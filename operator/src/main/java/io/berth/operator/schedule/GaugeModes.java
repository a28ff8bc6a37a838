package io.berth.operator.schedule;

import io.berth.engine.api.ClusterEvent;
import io.berth.engine.api.GaugeReading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The last known modes of the policies' gauges. Not thread-safe. */
final class GaugeModes {
  private final Map<List<String>, ClusterEvent.GaugeSeeded> modes = new LinkedHashMap<>();

  /** Records a mode, instead of the last one of the same gauge and scope. */
  void put(ClusterEvent.GaugeSeeded mode) {
    modes.put(List.of(mode.policy(), mode.plugin(), mode.scope()), mode);
  }

  /** Records the modes of these readings. */
  void put(List<GaugeReading> readings) {
    readings.forEach(reading -> put(reading.asSeed()));
  }

  /** Forgets the gauges of a policy that is gone. */
  void forget(String policy) {
    modes.values().removeIf(mode -> mode.policy().equals(policy));
  }

  /** Sends the modes to an engine that knows the policies. */
  void replay(Consumer<ClusterEvent> engine) {
    modes.values().forEach(engine);
  }
}
