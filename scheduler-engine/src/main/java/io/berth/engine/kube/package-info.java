/**
 * Compilation of Kubernetes objects into the engine's model; the only package that depends on their
 * Java types.
 */
@NullMarked
package io.berth.engine.kube;

import org.jspecify.annotations.NullMarked;
