/**
 * The assignment of configs and a policy to a pod: an immutable catalog, and the precedence among
 * bindings.
 */
@NullMarked
package io.berth.webhook.binding;

import org.jspecify.annotations.NullMarked;
