/** Validation of Berth's own kinds at apply time. */
@NullMarked
package io.berth.webhook.validation;

import org.jspecify.annotations.NullMarked;
