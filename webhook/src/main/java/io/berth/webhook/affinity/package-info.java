/** The API server's rules for affinity, tolerations and spread constraints. */
@NullMarked
package io.berth.webhook.affinity;

import org.jspecify.annotations.NullMarked;
