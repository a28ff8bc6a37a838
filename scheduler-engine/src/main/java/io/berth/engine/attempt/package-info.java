/** One attempt to place what was taken from the queue, and the ways in which it can end. */
@NullMarked
package io.berth.engine.attempt;

import org.jspecify.annotations.NullMarked;
