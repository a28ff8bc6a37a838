/** Carries decisions to the API server: bindings, preemption and what a pod's status says. */
@NullMarked
package io.berth.operator.bind;

import org.jspecify.annotations.NullMarked;
