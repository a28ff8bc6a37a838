/**
 * GPU cards: how much of each card of each node is free, which cards a pod gets, and how much the
 * free ones are worth to the pods that are likely to come. Knows no protocol of any agent.
 */
@NullMarked
package io.berth.engine.cards;

import org.jspecify.annotations.NullMarked;
