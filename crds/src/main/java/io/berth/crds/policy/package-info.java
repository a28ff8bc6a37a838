/** The parts of a SchedulingPolicy. */
@NullMarked
package io.berth.crds.policy;

import org.jspecify.annotations.NullMarked;
