/** Traces of pods, as received by a collector. */
@NullMarked
package io.berth.demo.trace;

import org.jspecify.annotations.NullMarked;
