/**
 * The operations of the API, independent of HTTP. Every write, from an HTTP client or from a
 * controller in this process, is processed in the same way by {@link
 * io.berth.sandbox.rest.ClusterApi}.
 */
@NullMarked
package io.berth.sandbox.rest;

import org.jspecify.annotations.NullMarked;
