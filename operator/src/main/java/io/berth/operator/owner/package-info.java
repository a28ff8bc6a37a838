/** Follows owner references from a pod to the object at its root. */
@NullMarked
package io.berth.operator.owner;

import org.jspecify.annotations.NullMarked;
