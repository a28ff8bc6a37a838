package io.berth.engine.model;

/**
 * A preference for nodes.
 *
 * @param weight 1 to 100, added to the raw score of a node that satisfies the term
 */
public record WeightedNodeTerm(int weight, NodeTerm term) {}
