package io.berth.engine;

import io.berth.engine.state.Gauge;

/**
 * The reading of a policy's gauge. A new engine takes up its mode by {@link
 * ClusterEvent.GaugeSeeded}.
 *
 * @param plugin the score that reads it
 */
public record GaugeReading(String policy, String plugin, Gauge.Reading reading) {}
