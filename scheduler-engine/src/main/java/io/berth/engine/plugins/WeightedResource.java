package io.berth.engine.plugins;

/**
 * A resource that takes part in a score.
 *
 * @param weight how much it counts among the others, 1 to 100
 */
public record WeightedResource(String name, long weight) {}
