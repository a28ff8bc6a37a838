/**
 * Persistent volumes: the engine's view of storage objects, and the nodes that a pod's claims
 * allow.
 */
@NullMarked
package io.berth.engine.volume;

import org.jspecify.annotations.NullMarked;
