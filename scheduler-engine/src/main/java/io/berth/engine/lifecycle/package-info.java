/** The life cycle of a pod from its first event to its last: pending, assumed, bound, deleted. */
@NullMarked
package io.berth.engine.lifecycle;

import org.jspecify.annotations.NullMarked;
