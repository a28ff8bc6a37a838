/** Traces of pods, as a collector receives them. */
@NullMarked
package io.berth.demo.trace;

import org.jspecify.annotations.NullMarked;
