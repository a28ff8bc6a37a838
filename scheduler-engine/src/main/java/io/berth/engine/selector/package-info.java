/**
 * Selector matching and counting: the counts behind topology spread and inter-pod affinity, kept up
 * to date as pods come and go.
 */
@NullMarked
package io.berth.engine.selector;

import org.jspecify.annotations.NullMarked;
