/**
 * Kubernetes objects compiled into the engine's model; the one place that knows their Java types.
 */
@NullMarked
package io.berth.engine.kube;

import org.jspecify.annotations.NullMarked;
