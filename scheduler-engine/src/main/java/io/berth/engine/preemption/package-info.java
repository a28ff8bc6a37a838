/**
 * Preemption for a pod: eviction of pods of lower priority, as in kube-scheduler's default
 * preemption.
 */
@NullMarked
package io.berth.engine.preemption;

import org.jspecify.annotations.NullMarked;
