/** Converts configuration files of kube-scheduler to SchedulingPolicies. */
@NullMarked
package io.berth.operator.convert;

import org.jspecify.annotations.NullMarked;
