/** The revisions of SchedulingPolicies that the engine uses, and their loading. */
@NullMarked
package io.berth.operator.policy;

import org.jspecify.annotations.NullMarked;
