package io.berth.engine.api;

import io.berth.engine.state.Gauge;

/**
 * The reading of a policy's gauge. {@link ClusterEvent.GaugeSeeded} passes the mode on to a new
 * engine.
 *
 * @param plugin the score plugin that reads the gauge
 */
public record GaugeReading(String policy, String plugin, Gauge.Reading reading) {
  /** Returns the event that passes the mode on to another engine. */
  public ClusterEvent.GaugeSeeded asSeed() {
    return new ClusterEvent.GaugeSeeded(policy, plugin, reading.scope(), reading.mode());
  }
}
