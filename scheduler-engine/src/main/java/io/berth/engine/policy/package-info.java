/** Compiled SchedulingPolicies: the plugins, arguments and weights for pods. */
@NullMarked
package io.berth.engine.policy;

import org.jspecify.annotations.NullMarked;
