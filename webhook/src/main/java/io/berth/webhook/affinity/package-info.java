/** The API server's validation rules for affinity, tolerations, and topology spread constraints. */
@NullMarked
package io.berth.webhook.affinity;

import org.jspecify.annotations.NullMarked;
