/**
 * The operations of the API, without HTTP: every write, from the wire or from a controller in the
 * process, takes the same road through {@link io.berth.sandbox.rest.ClusterApi}.
 */
@NullMarked
package io.berth.sandbox.rest;

import org.jspecify.annotations.NullMarked;
