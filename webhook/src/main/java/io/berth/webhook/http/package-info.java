/** An HTTP server with limits, which serves the webhook and the operational endpoints. */
@NullMarked
package io.berth.webhook.http;

import org.jspecify.annotations.NullMarked;
