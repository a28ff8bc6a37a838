package io.berth.engine.decision;

/**
 * One plugin's part of a node's score.
 *
 * @param raw as the plugin counts it
 * @param normalized 0 to 100, over the nodes that passed the filters
 * @param weight by which the normalized score counts in the total
 */
public record PluginScore(String plugin, long raw, long normalized, long weight) {}
