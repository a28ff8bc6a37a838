/** Tests of quantities. */
@NullMarked
package io.berth.engine.quantity;

import org.jspecify.annotations.NullMarked;
