/** Which revision of which SchedulingPolicy the engine serves, and how it comes there. */
@NullMarked
package io.berth.operator.policy;

import org.jspecify.annotations.NullMarked;
