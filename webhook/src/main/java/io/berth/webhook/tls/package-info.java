/**
 * The webhook's certificates: made, renewed and exchanged without a restart and without a moment of
 * distrust.
 */
@NullMarked
package io.berth.webhook.tls;

import org.jspecify.annotations.NullMarked;
