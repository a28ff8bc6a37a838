/** Tracks the revisions of SchedulingPolicies that the engine serves, and loads them. */
@NullMarked
package io.berth.operator.policy;

import org.jspecify.annotations.NullMarked;
