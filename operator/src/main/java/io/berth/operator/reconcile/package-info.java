/** Reconcilers of the four kinds: what the leader says of them in their status. */
@NullMarked
package io.berth.operator.reconcile;

import org.jspecify.annotations.NullMarked;
