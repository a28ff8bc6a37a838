/** OpenTelemetry traces of a pod's scheduling: webhook, queue, attempt, binding. */
@NullMarked
package io.berth.operator.trace;

import org.jspecify.annotations.NullMarked;
