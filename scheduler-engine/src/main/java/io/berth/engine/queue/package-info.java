/**
 * Pending pods: the scheduling queue, and the nominations by preemption.
 *
 * <p>This package does not depend on a clock or on the cluster: the time is an argument, and {@link
 * io.berth.engine.queue.QueueRules} provides what the queue needs to know about a pod.
 */
@NullMarked
package io.berth.engine.queue;

import org.jspecify.annotations.NullMarked;
