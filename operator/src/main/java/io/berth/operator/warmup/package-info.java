/** A synthetic cluster on which a replica that does not lead warms up its scheduling code. */
@NullMarked
package io.berth.operator.warmup;

import org.jspecify.annotations.NullMarked;
