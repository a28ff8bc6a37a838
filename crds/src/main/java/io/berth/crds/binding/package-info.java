/** The parts of a SchedulerConfigBinding. */
@NullMarked
package io.berth.crds.binding;

import org.jspecify.annotations.NullMarked;
