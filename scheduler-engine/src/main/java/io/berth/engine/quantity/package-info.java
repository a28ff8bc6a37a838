/** Kubernetes quantities ("500m", "1.5Gi", "3e6") in exact integer arithmetic. */
@NullMarked
package io.berth.engine.quantity;

import org.jspecify.annotations.NullMarked;
