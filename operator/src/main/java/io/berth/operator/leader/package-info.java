/** Leader election based on a Lease. */
@NullMarked
package io.berth.operator.leader;

import org.jspecify.annotations.NullMarked;
