/**
 * The rules of Kubernetes 1.36 for what pods say about their placement: affinity, tolerations,
 * topology spread constraints, and the selectors and labels in them.
 */
@NullMarked
package io.berth.rules;

import org.jspecify.annotations.NullMarked;
