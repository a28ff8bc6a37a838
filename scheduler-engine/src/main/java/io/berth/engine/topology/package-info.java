/**
 * Topology keys as columns of domains, the nodes that count for a constraint, and sums of pods per
 * domain.
 */
@NullMarked
package io.berth.engine.topology;

import org.jspecify.annotations.NullMarked;
