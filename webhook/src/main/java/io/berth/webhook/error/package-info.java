/** What users are told when something they wrote cannot be used: codes, places and words. */
@NullMarked
package io.berth.webhook.error;

import org.jspecify.annotations.NullMarked;
