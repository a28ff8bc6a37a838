/**
 * Selector matching and counting: the counts behind topology spread and inter-pod affinity, updated
 * as pods are added and removed.
 */
@NullMarked
package io.berth.engine.selector;

import org.jspecify.annotations.NullMarked;
