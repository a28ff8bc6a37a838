/** Error messages for users: codes, positions, and texts. */
@NullMarked
package io.berth.webhook.error;

import org.jspecify.annotations.NullMarked;
