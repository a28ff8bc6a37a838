package io.berth.engine.model;

/**
 * The nodes on which the members of a group are to be together.
 *
 * @param key the node label of which they share one value
 * @param required whether they may not be anywhere else; otherwise as few values as possible are
 *     used
 */
public record GroupTopology(String key, boolean required) {}
