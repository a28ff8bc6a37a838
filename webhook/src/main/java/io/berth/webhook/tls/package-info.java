/**
 * The webhook's certificates, which are created, renewed, and replaced without a restart and
 * without failed handshakes.
 */
@NullMarked
package io.berth.webhook.tls;

import org.jspecify.annotations.NullMarked;
