/** Restarts of replicas under a stream of pods that all have to be rendered. */
@NullMarked
package io.berth.demo.restart;

import org.jspecify.annotations.NullMarked;
