package io.berth.engine.decision;

/**
 * One plugin's part of a node's score.
 *
 * @param raw the raw score from the plugin
 * @param normalized 0 to 100, over the nodes that passed the filters
 * @param weight the factor of the normalized score in the total
 */
public record PluginScore(String plugin, long raw, long normalized, long weight) {}
