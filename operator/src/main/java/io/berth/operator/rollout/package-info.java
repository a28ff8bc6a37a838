/** The progress of rollouts of changed policies and configs, which the leader decides. */
@NullMarked
package io.berth.operator.rollout;

import org.jspecify.annotations.NullMarked;
