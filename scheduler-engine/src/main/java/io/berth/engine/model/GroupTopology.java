package io.berth.engine.model;

/**
 * The topology constraint of a group: its members share a domain.
 *
 * @param key the node label that defines the domains
 * @param required whether the constraint is hard; otherwise as few domains as possible are used
 */
public record GroupTopology(String key, boolean required) {}
