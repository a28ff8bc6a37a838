/**
 * The assignment of configs, a policy, and a group to a pod: an immutable catalog, and the
 * precedence of bindings.
 */
@NullMarked
package io.berth.webhook.binding;

import org.jspecify.annotations.NullMarked;
