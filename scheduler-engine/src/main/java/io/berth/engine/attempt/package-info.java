/** A scheduling attempt for a unit from the queue, and its possible outcomes. */
@NullMarked
package io.berth.engine.attempt;

import org.jspecify.annotations.NullMarked;
