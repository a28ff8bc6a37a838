/**
 * Simulated nodes and kubelets. One event loop for all nodes runs bound pods, terminates deleted
 * pods, and rejects pods that do not fit, as a real kubelet does.
 */
@NullMarked
package io.berth.sandbox.kubelet;

import org.jspecify.annotations.NullMarked;
