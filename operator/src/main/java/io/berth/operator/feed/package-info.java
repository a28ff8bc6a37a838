/** Watches the cluster, caches its objects, and converts them to the engine's events. */
@NullMarked
package io.berth.operator.feed;

import org.jspecify.annotations.NullMarked;
