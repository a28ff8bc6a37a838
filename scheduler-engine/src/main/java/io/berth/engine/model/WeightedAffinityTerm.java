package io.berth.engine.model;

/**
 * A preference for nodes near to, or far from, other pods.
 *
 * @param weight 1 to 100
 */
public record WeightedAffinityTerm(int weight, AffinityTerm term) {}
