/** Turns API objects into the engine's events. */
@NullMarked
package io.berth.operator.feed;

import org.jspecify.annotations.NullMarked;
