/**
 * Making room for a pod by evicting pods of lower priority, as kube-scheduler's default preemption.
 */
@NullMarked
package io.berth.engine.preemption;

import org.jspecify.annotations.NullMarked;
