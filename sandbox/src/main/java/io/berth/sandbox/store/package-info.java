/**
 * The versioned in-memory store: one resourceVersion counter, one bucket of objects per stored
 * resource, and the log of changes that watches read.
 */
@NullMarked
package io.berth.sandbox.store;

import org.jspecify.annotations.NullMarked;
