/** Tests of the scheduling queue and of nominations. */
@NullMarked
package io.berth.engine.queue;

import org.jspecify.annotations.NullMarked;
