/**
 * Certificates of servers, which are created, renewed, and replaced without a restart and without
 * failed handshakes.
 */
@NullMarked
package io.berth.serving.tls;

import org.jspecify.annotations.NullMarked;
