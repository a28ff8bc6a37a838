/** The parts of a SchedulingQueue. */
@NullMarked
package io.berth.crds.queue;

import org.jspecify.annotations.NullMarked;
