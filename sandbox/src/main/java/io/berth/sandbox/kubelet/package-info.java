/**
 * Simulated nodes and their kubelets: one loop over all of them runs the pods that are bound, ends
 * those that are deleted, and refuses those that do not fit, as a real kubelet does.
 */
@NullMarked
package io.berth.sandbox.kubelet;

import org.jspecify.annotations.NullMarked;
