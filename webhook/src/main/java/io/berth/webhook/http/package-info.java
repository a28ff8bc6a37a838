/** The HTTPS endpoint around the admission service. */
@NullMarked
package io.berth.webhook.http;

import org.jspecify.annotations.NullMarked;
