/**
 * The protocols of the agents that hand GPU cards to containers: what they say of a node's cards,
 * how pods ask, and what has to be written where a pod is bound. Only this package knows them.
 */
@NullMarked
package io.berth.operator.gpu;

import org.jspecify.annotations.NullMarked;
