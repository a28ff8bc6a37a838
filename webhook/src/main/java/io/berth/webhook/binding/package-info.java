/**
 * Which configs and which policy a pod is given, and by whom: an immutable catalog, and the
 * precedence among bindings.
 */
@NullMarked
package io.berth.webhook.binding;

import org.jspecify.annotations.NullMarked;
