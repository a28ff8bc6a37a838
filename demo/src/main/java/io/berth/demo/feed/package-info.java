/** Measures what a full cluster costs a replica: memory, and the time until it leads. */
@NullMarked
package io.berth.demo.feed;

import org.jspecify.annotations.NullMarked;
