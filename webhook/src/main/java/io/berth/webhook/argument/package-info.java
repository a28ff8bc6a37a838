/** The parameters that configs declare, and the arguments that pods and bindings pass for them. */
@NullMarked
package io.berth.webhook.argument;

import org.jspecify.annotations.NullMarked;
