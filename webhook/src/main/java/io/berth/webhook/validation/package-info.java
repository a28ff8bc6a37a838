/** What can be known to be wrong with Berth's own kinds when they are applied. */
@NullMarked
package io.berth.webhook.validation;

import org.jspecify.annotations.NullMarked;
