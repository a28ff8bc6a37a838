/** Follows owner references from a pod to its root owner, and reads the sizes of workloads. */
@NullMarked
package io.berth.operator.owner;

import org.jspecify.annotations.NullMarked;
