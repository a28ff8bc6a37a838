/** The HTTPS endpoint: routing, content negotiation, and watch streams. */
@NullMarked
package io.berth.sandbox.http;

import org.jspecify.annotations.NullMarked;
