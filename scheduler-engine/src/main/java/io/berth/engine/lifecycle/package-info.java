/** The life of a pod between its first event and its last: pending, assumed, bound, gone. */
@NullMarked
package io.berth.engine.lifecycle;

import org.jspecify.annotations.NullMarked;
