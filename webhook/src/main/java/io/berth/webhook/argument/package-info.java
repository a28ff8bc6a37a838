/** Parameters that a config declares, and the arguments that pods and bindings give for them. */
@NullMarked
package io.berth.webhook.argument;

import org.jspecify.annotations.NullMarked;
