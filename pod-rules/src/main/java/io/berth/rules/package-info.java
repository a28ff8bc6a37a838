/**
 * The validation rules of Kubernetes 1.36 for scheduling constraints of pods: affinity,
 * tolerations, topology spread constraints, and their selectors and labels.
 */
@NullMarked
package io.berth.rules;

import org.jspecify.annotations.NullMarked;
