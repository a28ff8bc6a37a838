/** The HTTPS endpoint: routing, negotiation, chunked watches. */
@NullMarked
package io.berth.sandbox.http;

import org.jspecify.annotations.NullMarked;
