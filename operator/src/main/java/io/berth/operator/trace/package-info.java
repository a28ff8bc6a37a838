/** OpenTelemetry traces of a pod's way: webhook, queue, attempt, binding. */
@NullMarked
package io.berth.operator.trace;

import org.jspecify.annotations.NullMarked;
