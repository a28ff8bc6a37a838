/**
 * Dynamic resource allocation: the devices that drivers publish, the claims for them, and the
 * search for an allocation.
 */
@NullMarked
package io.berth.engine.devices;

import org.jspecify.annotations.NullMarked;
