/** HTTP servers with limits, for the webhook and for operations, and the webhook's endpoint. */
@NullMarked
package io.berth.webhook.http;

import org.jspecify.annotations.NullMarked;
