/** The invariants of a cluster in which nothing happens any more. */
@NullMarked
package io.berth.demo.invariant;

import org.jspecify.annotations.NullMarked;
