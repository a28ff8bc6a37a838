/** SchedulingPolicies, compiled: which plugins with which arguments and weights serve a pod. */
@NullMarked
package io.berth.engine.policy;

import org.jspecify.annotations.NullMarked;
