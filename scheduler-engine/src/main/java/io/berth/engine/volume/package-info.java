/**
 * Persistent volumes: what the engine keeps of storage objects, and which nodes a pod's claims
 * allow.
 */
@NullMarked
package io.berth.engine.volume;

import org.jspecify.annotations.NullMarked;
