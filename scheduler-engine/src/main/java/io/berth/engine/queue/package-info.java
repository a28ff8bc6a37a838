/**
 * Pods that wait: the scheduling queue and the nominations that preemption leaves behind.
 *
 * <p>Nothing here reads a clock or knows the cluster: the time is an argument, and what the queue
 * must know about a pod it asks of {@link io.berth.engine.queue.QueueRules}.
 */
@NullMarked
package io.berth.engine.queue;

import org.jspecify.annotations.NullMarked;
