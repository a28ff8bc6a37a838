/**
 * The protocols of the agents that give GPU cards to containers: how they describe a node's cards,
 * how pods request cards, and how an assignment is written when a pod is bound. No other package
 * depends on their formats.
 */
@NullMarked
package io.berth.operator.gpu;

import org.jspecify.annotations.NullMarked;
