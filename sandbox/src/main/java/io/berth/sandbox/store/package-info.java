/**
 * The versioned in-memory store: one resourceVersion counter, one bucket of objects per stored
 * resource, and a log of changes for watches.
 */
@NullMarked
package io.berth.sandbox.store;

import org.jspecify.annotations.NullMarked;
