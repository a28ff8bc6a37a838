/**
 * GPU cards: their free capacity, the choice of cards for a pod, and the worth of free cards for
 * the pods that are likely to come. Independent of the protocols of agents.
 */
@NullMarked
package io.berth.engine.cards;

import org.jspecify.annotations.NullMarked;
