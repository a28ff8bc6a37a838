/** How long a review takes the webhook. */
@NullMarked
package io.berth.benchmarks.webhook;

import org.jspecify.annotations.NullMarked;
