/** A made-up cluster, on which a replica that does not lead runs its scheduling code. */
@NullMarked
package io.berth.operator.warmup;

import org.jspecify.annotations.NullMarked;
