/** What the API server accepts as affinity, tolerations and spread constraints. */
@NullMarked
package io.berth.webhook.affinity;

import org.jspecify.annotations.NullMarked;
