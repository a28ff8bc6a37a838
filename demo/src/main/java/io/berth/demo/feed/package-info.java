/** Measures the memory and the time to become leader of a replica on a full cluster. */
@NullMarked
package io.berth.demo.feed;

import org.jspecify.annotations.NullMarked;
