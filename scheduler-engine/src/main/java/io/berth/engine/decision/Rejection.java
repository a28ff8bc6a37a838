package io.berth.engine.decision;

/**
 * The number of nodes that a plugin rejected for a reason. A node that is rejected for several
 * reasons counts for each of them.
 */
public record Rejection(String plugin, String reason, boolean resolvable, int nodes) {}
